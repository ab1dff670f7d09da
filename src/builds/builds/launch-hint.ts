import { refuse } from '../../core/runtime/errors.ts'
import { type Explanation, explain } from '../../core/runtime/reasons.ts'

/** How a build is started, as its registration says. Paths are below the top of the build. */
export type LaunchHint = { executable: string; args: string[]; working_dir: string }

export const MAX_LAUNCH_ARGS = 50
export const MAX_LAUNCH_TEXT = 1000

/** Undefined keeps what the build has; null removes it. */
export function readLaunchHint(value: unknown): LaunchHint | null | undefined {
  if (value === undefined || value === null) return value
  if (typeof value !== 'object' || Array.isArray(value))
    return invalid(
      'launch',
      explain('launch_object', 'launch: send an object with executable, args and working_dir'),
    )
  const { executable, args = [], working_dir = '' } = value as Record<string, unknown>
  const are_args =
    Array.isArray(args) &&
    args.length <= MAX_LAUNCH_ARGS &&
    args.every((arg) => typeof arg === 'string' && arg.length <= MAX_LAUNCH_TEXT)
  if (!are_args) {
    const limits = `up to ${MAX_LAUNCH_ARGS} texts of up to ${MAX_LAUNCH_TEXT} characters`
    const values = { count: MAX_LAUNCH_ARGS, max: MAX_LAUNCH_TEXT }
    invalid('launch.args', explain('launch_args', `launch.args: send a list of ${limits}`, values))
  }
  const program = readPath('launch.executable', executable)
  if (program === '')
    invalid(
      'launch.executable',
      explain('launch_program', 'launch.executable: send the path of the program in the build'),
    )
  return {
    executable: program,
    args: args as string[],
    working_dir: readPath('launch.working_dir', working_dir),
  }
}

/** A path that stays in the folder of the build on every system, without needless steps. */
function readPath(field: string, value: unknown): string {
  const steps =
    typeof value === 'string' ? value.split('/').filter((step) => step !== '' && step !== '.') : []
  const is_path =
    typeof value === 'string' &&
    value.length <= MAX_LAUNCH_TEXT &&
    !/[\u0000-\u001f\u007f\\]/.test(value) &&
    !/^([a-z]:|\/)/i.test(value) &&
    !steps.includes('..')
  return is_path
    ? steps.join('/')
    : invalid(field, explain('launch_path', `${field}: send a path below the folder of the build`))
}

const invalid = (field: string, explanation: Explanation): never =>
  refuse('INVALID_REGISTRATION', { field }, explanation)
