import { Type } from 'typebox'
import { developer } from '../../accounts/sessions/schemes.ts'
import { Nullable, route, Timestamp, Uid } from '../../core/http/route.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import { ArchName, OsName } from '../../listings/fields/file-schema.ts'
import { findForEditor } from '../../listings/listing/edit.ts'
import { pageUrl } from '../../listings/page/url.ts'
import { readCurrentDeployKeys } from '../keys/queries.ts'
import { listBuilds } from './queries.ts'

const Text = Type.String()
const MAX_BUILDS = 50
const BuildSummary = {
  build_id: Uid,
  app: Text,
  version: Text,
  os: OsName,
  arch: ArchName,
  channel: Text,
}

const endpoints = ({ base_url, upload_url }: Addresses) => ({
  upload_build: `${base_url}/api/v1/tool/upload/build`,
  upload_files: `${upload_url}/api/v1/tool/upload/files`,
  upload_sessions: `${upload_url}/api/v1/tool/upload/sessions`,
  upload_symbols: `${upload_url}/api/v1/tool/upload/symbols`,
  crash_ingest: `${base_url}/api/v1/public/crashes`,
  events_ingest: `${base_url}/api/v1/public/events`,
})

/** How to set up a build machine. Contains no secrets. */
export const deployInfoRoute = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/deploy-info',
  summary:
    'Read what a build machine needs: addresses, headers, newest builds and deploy key prefix',
  description: 'Never contains a secret.',
  auth: developer('mcp:read', 'mcp:build.write'),
  params: Type.Object({ uid: Text }),
  data: Type.Object({
    app_id: Uid,
    page_url: Text,
    endpoints: Type.Record(Text, Text),
    auth: Type.Object({ build_headers: Type.Array(Text), crash_headers: Type.Record(Text, Text) }),
    latest_build_id: Nullable(Uid),
    builds: Type.Array(Type.Object(BuildSummary)),
    keys: Type.Array(Type.Object({ uid: Uid, prefix: Text, created_at: Timestamp })),
    env: Type.Record(Text, Text),
  }),
  errors: ['NOT_FOUND'],
  async handle({ core: { addresses }, sql, who, params }) {
    const game = await findForEditor(sql, who, params.uid)
    const [{ builds }, keys] = await Promise.all([
      listBuilds(sql, game.uid, {}, { limit: MAX_BUILDS, offset: 0 }),
      readCurrentDeployKeys(sql, game.uid),
    ])
    const latest = builds[0]?.uid ?? null
    return {
      app_id: game.uid,
      page_url: pageUrl(addresses, game),
      endpoints: endpoints(addresses),
      auth: {
        build_headers: ['X-Access-Token', 'X-Secret-Key'],
        crash_headers: { 'X-App-Id': game.uid, 'X-Build-Id': latest ?? '<build_id>' },
      },
      latest_build_id: latest,
      builds: builds.map(({ uid: build_id, app, version, os, arch, channel }) => ({
        build_id,
        app,
        version,
        os,
        arch,
        channel,
      })),
      keys: keys.map((key) => ({ ...key, created_at: key.created_at.toISOString() })),
      env: environment(addresses, game.uid, latest),
    }
  },
})

/** Environment variables under the names that the uploader reads. */
const environment = (
  { base_url, upload_url }: Addresses,
  app_id: string,
  latest: string | null,
) => ({
  SVC_ACCESS_TOKEN: '<from the website>',
  SVC_SECRET_KEY: '<from the website>',
  SVC_API_URL: `${base_url}/api/v1`,
  SVC_UPLOAD_URL: `${upload_url}/api/v1`,
  SVC_GAMES_APP_ID: app_id,
  SVC_GAMES_BUILD_ID: latest ?? '<build_id>',
})
