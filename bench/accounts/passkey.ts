import { createAuthenticator } from '../../test/accounts/passkeys/authenticator.ts'
import { client } from '../../test/support/app.ts'
import { builders, must, PASSWORD, type Person } from '../../test/support/builders.ts'
import { freePort } from '../../test/support/child.ts'
import { randomAddress, secondsOf } from '../costs.ts'
import { createBench } from '../support/fixtures.ts'
import { median, report } from '../support/harness.ts'

const ORIGIN = 'https://store.example'
const ACCOUNT = '/api/v1/private/account'
const PEOPLE = 16
const SIGN_INS = Number(process.env.BENCH_SIGN_INS ?? 100)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
/** Passwords that are checked at the same time. */
const PASSWORDS = 20

type Http = ReturnType<typeof client>
type Member = Person & {
  authenticator: ReturnType<typeof createAuthenticator>
  /** The cookie of a known device, without which each sign-in also sends a mail. */
  cookie: string
}

const fromAnywhere = (headers: Record<string, string> = {}) => ({
  headers: { ...randomAddress(), ...headers },
})

const readChallenge = async ({ post }: Http): Promise<{ challenge: string }> =>
  must(await post(`${ACCOUNT}/login/passkey-options`, undefined, fromAnywhere())).options

/** A person with a passkey, who has signed in with it once. */
async function enroll(http: Http, person: Person): Promise<Member> {
  const authenticator = createAuthenticator(ORIGIN)
  const { options } = must(await http.post(`${ACCOUNT}/passkeys/options`, undefined, person))
  const response = authenticator.create(options)
  must(await http.post(`${ACCOUNT}/passkeys`, { name: 'Bench', response }, person))
  const first = { response: authenticator.answer(await readChallenge(http)) }
  const answer = await http.post(`${ACCOUNT}/login/passkey`, first, fromAnywhere())
  const { token } = must(answer).session
  const cookie = answer.headers['set-cookie']!.match(/\bsvc_device=[^;]+/)![0]
  return { ...person, token, authenticator, cookie }
}

/**
 * Targets: a sign-in with a passkey takes at most 1.5 times the processor time of a signed-in read
 * in the service, and passwords that are checked at the same time do not delay the event loop.
 */
export async function passkeys() {
  const bench = createBench()
  try {
    const metrics_port = await freePort()
    const { child, url } = await bench.service({
      PROXY_HOPS: '1',
      SLIPWAY_ROLES: 'api,web',
      BASE_URL: ORIGIN,
      REQUIRE_MFA: 'off',
      METRICS_PORT: metrics_port,
    })
    const http = client(url)
    const a = builders(http, bench.data_dir)
    const members: Member[] = []
    for (let i = 0; i < PEOPLE; i++) members.push(await enroll(http, await a.user()))
    const { username } = await a.user()
    return {
      costs: await signInCosts(http, child.pid!, members),
      delays: await eventLoopDelays(http, username, metrics_port),
    }
  } finally {
    await bench.close()
  }
}

/** Each person does `send` one after the other, all of them at the same time. */
const forEveryone = (
  members: readonly Member[],
  send: (member: Member, index: number) => unknown,
) =>
  Promise.all(
    members.map(async (member) => {
      for (let index = 0; index < SIGN_INS; index++) await send(member, index)
    }),
  )

async function signInCosts(http: Http, pid: number, members: readonly Member[]) {
  const figures: Record<string, number[]> = {}
  const measure = async (name: string, send: (member: Member, index: number) => unknown) => {
    const before = secondsOf(pid)
    await forEveryone(members, send)
    const micros = ((secondsOf(pid) - before) / (members.length * SIGN_INS)) * 1e6
    figures[name] = [...(figures[name] ?? []), micros]
  }
  const session = new Map<Member, string>()
  // The first round warms up and is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    if (round === 1) for (const name of Object.keys(figures)) delete figures[name]
    await measure('a signed-in read', async ({ token }) =>
      must(await http.get(ACCOUNT, { token, ...fromAnywhere() })),
    )
    const challenges = new Map<Member, { challenge: string }[]>(
      members.map((member) => [member, []]),
    )
    await measure('the challenge of a passkey', async (member) =>
      challenges.get(member)!.push(await readChallenge(http)),
    )
    await measure('a sign-in with a passkey', async (member, index) => {
      const { authenticator, cookie } = member
      const body = { response: authenticator.answer(challenges.get(member)![index]!) }
      const answer = await http.post(`${ACCOUNT}/login/passkey`, body, fromAnywhere({ cookie }))
      session.set(member, must(answer).session.token)
    })
    await measure('a read in a new session', async (member) =>
      must(await http.get(ACCOUNT, { token: session.get(member)!, ...fromAnywhere() })),
    )
  }
  return report(
    `Processor time of the service, ${PEOPLE} people at once (smaller is better)`,
    Object.entries(figures).map(([name, all]) => ({ name, median: median(all) })),
    'µs',
  )
}

/** The longest delay of the event loop since the last call, in milliseconds. */
async function longestDelay(metrics_port: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${metrics_port}/metrics`)
  return Number((await answer.text()).match(/^nodejs_eventloop_lag_max_seconds (\S+)/m)![1]) * 1000
}

async function eventLoopDelays(http: Http, username: string, metrics_port: string) {
  const login = { login: username, password: PASSWORD }
  const { token } = must(await http.post(`${ACCOUNT}/login`, login, fromAnywhere())).session
  const loads: Record<string, () => Promise<unknown>> = {
    [`${PASSWORDS} signed-in reads at once`]: () => http.get(ACCOUNT, { token, ...fromAnywhere() }),
    [`${PASSWORDS} passwords at once`]: () => http.post(`${ACCOUNT}/login`, login, fromAnywhere()),
  }
  const figures = new Map(Object.keys(loads).map((name) => [name, [] as number[]]))
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, send] of Object.entries(loads)) {
      await longestDelay(metrics_port)
      await Promise.all(Array.from({ length: PASSWORDS }, send))
      figures.get(name)!.push(await longestDelay(metrics_port))
    }
  return report(
    'Longest delay of the event loop (smaller is better; the timer itself takes about 10 ms)',
    [...figures].map(([name, all]) => ({ name, median: median(all) })),
    'ms',
  )
}
