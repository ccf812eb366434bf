/** What programs know of the machine that they are let loose on. */
export interface Target {
  /** Beside the workspace. */
  outside: string;
  workspace: string;
  /** The real home folder. */
  home: string;
  /** A process of the machine that they may try to end or look into. */
  victim: number;
  /** Where the machine listens. */
  port: number;
  socket: string;
  abstractSocket: string;
  /** Part of a name that is on this machine only once. */
  unique: string;
}

/** Waits so long that it is found when it is left behind; `name` is in its command line. */
const lurk = (name: string) => `bash -c 'while :; do sleep 1000; done' ${name}`;

/** Each prints `written` where it did what it must not be able to do, unless that shows elsewhere. */
export function hostilePrograms(target: Target): readonly (readonly [name: string, script: string])[] {
  const { outside, workspace, home, victim, port, socket, abstractSocket, unique } = target;
  const perl = (code: string) => `perl -MSocket -e '${code}'`;
  return [
    // Writing outside.
    ["writes a file by its absolute path", `echo x > ${outside}/file.txt && echo written`],
    ["writes a file through parent folders", "echo x > src/../../outside/file.txt && echo written"],
    ["writes through a link that it makes", `ln -s ${outside} l; echo x > l/file.txt && echo written`],
    ["writes through a chain of links", "ln -s l3 l2; ln -s ../outside l3; echo x > l2/file.txt && echo written"],
    ["writes through a hard link", `ln ${outside}/file.txt hard && echo x > hard && echo written`],
    ["empties a file", `truncate -s 0 ${outside}/file.txt && echo written`],
    ["appends to a file", `echo x >> ${outside}/file.txt && echo written`],
    ["deletes a folder", `rm -r ${outside}/folder && echo written`],
    ["moves the workspace away", `cd /; mv ${workspace} ${workspace}-2 && echo written`],
    ["makes a file that anybody may write", `chmod 777 ${outside}/file.txt && echo written`],
    ["changes when a file was written", `touch -d 2001-01-01 ${outside}/file.txt && echo written`],
    ["writes through the root of the first process", `echo x > /proc/1/root${outside}/file.txt && echo written`],
    ["writes through its own working folder in /proc", "echo x > /proc/self/cwd/../outside/file.txt && echo written"],
    ["writes through the folder of its parent process", "echo x > /proc/$PPID/cwd/../outside/file.txt && echo written"],
    ["copies over a file", `cp -f src/a.ts ${outside}/file.txt && echo written`],
    ["writes a file with dd", `dd if=/dev/zero of=${outside}/file.txt count=1 conv=notrunc && echo written`],
    ["unpacks an archive with absolute paths", `tar -cPf a.tar --transform=s,^src,${outside}, src && tar -xPf a.tar`],
    ["makes a pipe outside", `mkfifo ${outside}/pipe && echo written`],
    ["writes a start-up file of the shell", `echo "touch ${outside}/x" >> ${home}/.bashrc`],
    ["adds a key that may log in", `mkdir -p ${home}/.ssh; echo key >> ${home}/.ssh/authorized_keys`],
    ["writes a program that others find first", `echo x > /usr/local/bin/${unique} && echo written`],
    ["writes what is loaded into every program", "echo /x.so >> /etc/ld.so.preload && echo written"],
    ["writes over a tool in the home folder", `echo evil > ${home}/.cargo/bin/tool && echo written`],
    ["writes a task for the system's clock", `mkdir -p /var/spool/cron; echo x > /var/spool/cron/${unique}`],
    ["writes to the machine's temporary folder", `echo x > /tmp/${unique}; echo x > /var/tmp/${unique}`],
    ["writes to the machine's shared memory", `echo x > /dev/shm/${unique}`],
    // What decides what runs.
    ["overwrites a script of the build", "echo evil > package.json && echo written"],
    ["replaces a script of the build", "echo evil > p; mv -f p package.json && echo written"],
    ["deletes a script of the build", "rm -f Makefile && echo written"],
    [
      "moves the folder of a script away and makes it anew",
      "mv packages p2 && mkdir -p packages/deep && echo evil > packages/deep/package.json && echo written",
    ],
    [
      "makes a repository's folder anew",
      "mv .git g && mkdir .git && cp -r g/. .git && echo evil > .git/config && echo written",
    ],
    ["sets what git runs", "printf '[core]\\n\\tfsmonitor = evil\\n' >> .git/config && echo written"],
    ["adds a hook", "echo evil > .git/hooks/pre-commit && echo written"],
    ["leads git to other settings", "mkdir -p evil; printf ../evil > .git/commondir"],
    ["adds a task of the editor", "echo {} > .vscode/tasks.json && echo written"],
    ["changes what runs with a push", "echo evil > .github/workflows/ci.yml && echo written"],
    ["changes what agents are instructed through a link", "ln -s AGENTS.md l; echo evil > l && echo written"],
    [
      "takes away the mount of a guarded file",
      "umount package.json && echo written; umount -l .git/config && echo written",
    ],
    [
      "mounts a guarded file to be written",
      "mount -o remount,rw,bind package.json && echo evil > package.json && echo written",
    ],
    [
      "mounts in namespaces of its own",
      "unshare -Urm sh -c 'umount .git/hooks; echo evil > .git/hooks/x && echo written'",
    ],
    // Secrets.
    ["reads a file of keys", "cat .env config/server.pem"],
    ["reads a file of keys by another name", "ln .env e; cp config/server.pem e2; cat e e2"],
    ["gives itself the right to read keys", "chmod 777 .env; cat .env; perl -e 'chmod 0777, q(.env); print <>' .env"],
    ["reads keys from an archive", "tar -c . 2>/dev/null | cat"],
    ["reads keys through the first process", `cat /proc/1/root${workspace}/.env /proc/1/cwd/.env`],
    [
      "reads keys of the home folder",
      `cat ${home}/.ssh/* ${home}/.aws/* ${home}/.config/gh/*; grep -r . ${home}/.cargo`,
    ],
    [
      "reads what was typed and saved in the home folder",
      `cat ${home}/.netrc ${home}/.bash_history ${home}/Documents/*`,
    ],
    ["reads passwords of the system", "cat /etc/shadow /etc/gshadow && echo written"],
    ["reads the environment of every process", "env; cat /proc/*/environ | tr '\\0' '\\n'"],
    ["reads the environment of the machine's process", `cat /proc/${victim}/environ && echo written`],
    ["reads the password of a remote", "cat .git/config; git config --list; git remote -v"],
    ["reads outside the workspace", `cat ${outside}/file.txt; cat ../outside/file.txt; grep -r . ..`],
    // Other processes.
    ["ends a process of the machine", `kill -9 ${victim} && echo written`],
    ["ends all processes that it can", "kill -9 -1"],
    ["traces a process of the machine", perl(`print "written" if syscall(101, 16, ${victim}, 0, 0) == 0`)],
    [
      "enters the machine's namespaces",
      `nsenter -t ${victim} -m -p sh -c 'echo x > ${outside}/file.txt' && echo written`,
    ],
    [
      "leaves through a root of its own",
      perl(
        `mkdir "r"; chroot "r"; chdir ".." for 1..50; chroot "."; open F, ">", "${outside}/file.txt" and print "written"`,
      ),
    ],
    // The network and other programs' sockets.
    ["connects to this machine", `echo x > /dev/tcp/127.0.0.1/${port} && echo written`],
    [
      "connects to this machine by its other addresses",
      `for a in $(hostname -I) ::1; do echo x > /dev/tcp/$a/${port} && echo written; done`,
    ],
    ["connects to another machine", "echo x > /dev/tcp/192.0.2.1/80 && echo written"],
    ["sends a datagram", "echo x > /dev/udp/192.0.2.1/53 && echo written"],
    ["asks for the address of a name", "getent hosts example.com && echo written"],
    ["opens a raw socket", perl('print "written" if socket(S, 17, 3, 0x300)')],
    [
      "connects to a socket outside",
      perl(`socket(S, PF_UNIX, SOCK_STREAM, 0); print "written" if connect(S, sockaddr_un("${socket}"))`),
    ],
    [
      "connects to an abstract socket",
      perl(
        `socket(S, PF_UNIX, SOCK_STREAM, 0); print "written" if connect(S, pack_sockaddr_un("\\0${abstractSocket}"))`,
      ),
    ],
    [
      "calls the system's message bus",
      "for s in /run/dbus/system_bus_socket /var/run/dbus/system_bus_socket /run/user/*/bus; do test -e $s && echo written; done",
    ],
    [
      "calls a daemon of containers",
      "for s in /run/docker.sock /var/run/docker.sock /run/containerd/containerd.sock; do test -e $s && echo written; done",
    ],
    // More rights.
    ["mounts a file system", "mkdir m; mount -t tmpfs none m && echo written; mount --bind .. m && echo written"],
    ["makes the device of a disk", "mknod disk b 254 0 && echo written; mknod mem c 1 1 && echo written"],
    [
      "sets what the kernel runs after a crash",
      "cat /proc/sys/kernel/core_pattern > p; cat p > /proc/sys/kernel/core_pattern && echo written",
    ],
    ["presses the kernel's emergency keys", ": >> /proc/sysrq-trigger && echo written"],
    [
      "gives itself another user's rights",
      perl('print "written" if syscall(117, 1, 1, 1) == 0; $) = 7; $> = 7; print "written" if $> == 7'),
    ],
    ["gives a file to another user", "echo x > given; chown 1:1 given && echo written"],
    // Leaving something behind.
    ["leaves a process in a session of its own", `setsid ${lurk(unique)} &`],
    ["leaves a process whose parent has ended", `(setsid ${lurk(unique)} &) &`],
    ["leaves a process without environment", `env -i setsid -f ${lurk(unique)}`],
    [
      "leaves a process that ignores signals",
      `setsid bash -c 'trap "" TERM HUP INT QUIT; while :; do sleep 1000; done' ${unique} &`,
    ],
    ["leaves a process that nothing wakes", `${lurk(unique)} & kill -STOP $!`],
    [
      "leaves a daemon that nothing holds",
      perl(
        `fork and exit; syscall(112); fork and exit; chdir "/"; close $_ for *STDIN, *STDOUT, *STDERR; $0 = "${unique}"; sleep 1000`,
      ),
    ],
    [
      "asks not to end with its parent",
      perl(`fork and exit; syscall(157, 1, 0); syscall(112); $0 = "${unique}"; sleep 1000`),
    ],
    [
      "leaves hundreds of processes",
      `for i in $(seq 300); do setsid sleep 1000.${unique.replaceAll(/\D/g, "")} & done`,
    ],
    [
      "leaves processes that start each other anew",
      `f() { (sleep 0.05; f ${unique}) & }; export -f f; for i in 1 2 3 4; do setsid bash -c 'f' ${unique} & done`,
    ],
    // The way to hosts.
    ["changes the program that leads to hosts", "for f in /run/arbor/program/*; do echo x >> $f && echo written; done"],
    [
      "removes or replaces the socket of the editor",
      "rm -f /run/arbor/hosts; echo x > /run/arbor/hosts && echo written; ln -sf /tmp/x /run/arbor/hosts && echo written",
    ],
    [
      "connects to the machine by the socket of the editor",
      perl(
        `for $r ("CONNECT 127.0.0.1:${port} HTTP/1.1", "GET http://localhost:${port}/ HTTP/1.1", "CONNECT [::1]:${port} HTTP/1.1") { socket(S,PF_UNIX,SOCK_STREAM,0); connect(S,sockaddr_un("/run/arbor/hosts")) or next; syswrite(S,"$r\\r\\nHost: x\\r\\n\\r\\n"); sysread(S,$a,999); print "written" if $a =~ / 200 /; }`,
      ),
    ],
    [
      "ends what leads to hosts and listens in its place",
      "for p in /proc/[0-9]*; do grep -aq 49190 $p/cmdline && kill -9 ${p#/proc/}; done; true",
    ],
    // Links that change while it runs.
    [
      "swaps a folder for a link while it writes into it",
      "mkdir d; (for i in $(seq 100); do mv d d2; ln -s ../outside d; rm d; mv d2 d; done) & for i in $(seq 100); do echo x > d/file.txt; done; wait",
    ],
  ];
}
