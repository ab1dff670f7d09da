import { createHook } from 'node:async_hooks'

/**
 * The test runner follows every promise by async hooks, to attribute an uncaught error to its test.
 * That took a tenth of the CPU time of the tests, measured with five files of listings, press and
 * webhooks. Without it the run still fails on such an error and prints its message.
 */
const prototype = Object.getPrototypeOf(createHook({}))
prototype.enable = function enable() {
  return this
}
