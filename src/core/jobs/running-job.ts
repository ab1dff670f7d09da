import { AsyncLocalStorage } from 'node:async_hooks'

/** The job whose handler runs, for the record of what it does. */
export type RunningJob = { name: string; id: string; data: unknown }

const running = new AsyncLocalStorage<RunningJob>()

export const asJob = <T>(job: RunningJob, run: () => Promise<T>): Promise<T> =>
  running.run(job, run)
export const runningJob = (): RunningJob | undefined => running.getStore()
