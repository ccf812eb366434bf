/** The build puts the driver that is measured in this module's place. */
declare module "bench-driver" {
  export const driver: import("./driver.ts").Driver;
}
