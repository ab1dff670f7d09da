import type { Command, Context, Outcome } from '../command.ts'
import { isUuid } from '../documents/text.ts'
import { UsageError } from '../errors.ts'
import { type Api, type Data, isObject, json } from '../http/api.ts'
import { later, t } from '../messages.ts'
import { platformName } from '../publish/publish.ts'
import { appFlags, normalizePlatform, platformFlags } from '../publish/registration.ts'

export const yank: Command = {
  name: 'yank',
  summary: later('yank'),
  details: [later('yank-details')],
  args: [{ name: '<version|build_id>', summary: later('yank-build') }],
  flags: [
    { name: 'reason', value: '<text>', summary: later('yank-reason') },
    { name: 'replacement', value: '<version|build_id>', summary: later('yank-replacement') },
    { name: 'undo', summary: later('yank-undo') },
    ...platformFlags,
    ...appFlags.filter(({ name }) => name === 'app'),
  ],
  examples: ['slipway yank 1.2.0 --reason "It deletes saved games"', 'slipway yank 1.2.0 --undo'],
  run: runYank,
}

type Build = {
  build_id: string
  version: string
  os: string
  arch: string
  channel: string
  app: string
  withdrawn: unknown
}
const PAGE_SIZE = 100

async function runYank(context: Context): Promise<Outcome> {
  const { args, text, has } = context
  const undo = has('undo')
  const reason = text('reason')?.trim()
  if (undo && (reason || text('replacement'))) throw new UsageError(t('yank-undo-alone'))
  if (!undo && !reason) throw new UsageError(t('yank-no-reason'), t('yank-no-reason-hint'))
  const platform = normalizePlatform({
    os: text('os'),
    arch: text('arch'),
    channel: text('channel'),
  })
  const api = await context.api()
  const builds = await findBuilds(api, args[0]!, { ...platform, app: text('app') ?? '' })
  const replacements = text('replacement')
    ? await findBuilds(api, text('replacement')!, {})
    : undefined
  const changed: Build[] = []
  for (const build of builds) {
    const body = { reason, replacement: replacements && replacementOf(build, replacements) }
    const data = await api.send({
      method: undo ? 'DELETE' : 'PUT',
      path: `/tool/builds/${build.build_id}/withdrawal`,
      ...(undo ? {} : { body: json(body) }),
    })
    changed.push({ ...build, withdrawn: data.withdrawn ?? null })
  }
  const line = (build: Build) => {
    const values = { version: build.version, platform: platformName(build), build: build.build_id }
    return undo ? t('yank-restored', values) : t('yank-withdrawn', values)
  }
  return {
    json: { ok: true, action: undo ? 'restore' : 'withdraw', builds: changed },
    lines: changed.map(line),
  }
}

/** The build with this ID, or all builds of this version that match the filter. */
async function findBuilds(
  api: Api,
  name: string,
  filter: Record<string, string>,
): Promise<Build[]> {
  if (isUuid(name)) return [toBuild(await api.get(`/tool/builds/${name}`))]
  const chosen = Object.entries(filter).filter(([, value]) => value !== '')
  const builds: Build[] = []
  for (let page = 1; ; page++) {
    const query = new URLSearchParams([
      ['version', name],
      ...chosen,
      ['page', String(page)],
      ['page_size', String(PAGE_SIZE)],
    ])
    const data = await api.get(`/tool/builds?${query}`)
    const rows = Array.isArray(data.builds) ? data.builds.filter(isObject) : []
    builds.push(...rows.map(toBuild))
    if (rows.length < PAGE_SIZE) break
  }
  if (builds.length) return builds
  throw new UsageError(t('yank-no-build', { version: name }), t('status-not-id-hint'))
}

const toBuild = ({ build_id, version, os, arch, channel, app, withdrawn }: Data): Build => ({
  build_id: String(build_id),
  version: String(version),
  os: String(os ?? ''),
  arch: String(arch ?? ''),
  channel: String(channel ?? ''),
  app: String(app ?? ''),
  withdrawn: withdrawn ?? null,
})

/** The replacement for the same platform, or else any of the same app. */
function replacementOf(build: Build, replacements: readonly Build[]): string {
  const of_app = replacements.filter(({ app }) => app === build.app)
  const match =
    of_app.find(({ os, arch }) => os === build.os && arch === build.arch) ??
    of_app.find(({ os }) => os === build.os) ??
    of_app[0]
  if (match) return match.build_id
  throw new UsageError(t('yank-no-replacement', { platform: platformName(build) }))
}
