import { Type } from 'typebox'
import { developer } from '../../accounts/sessions/schemes.ts'
import { OneOf, route, Uid } from '../../core/http/route.ts'
import { findForEditor } from '../../listings/listing/edit.ts'
import { findProjectBuild } from '../builds/project-build.ts'
import { bundleStatus, bundleStatuses } from './bundle-check.ts'
import { findBundledPacks } from './queries.ts'

const Text = Type.String()

export const bundleCheckRoute = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/builds/:build_id/bundle-check',
  summary: 'List the asset packs whose files a build contains, and by what right',
  auth: developer('mcp:read', 'mcp:build.write'),
  params: Type.Object({ uid: Text, build_id: Text }),
  data: Type.Object({
    build_id: Uid,
    matches: Type.Array(
      Type.Object({
        pack: Type.Object({ uid: Uid, name: Text }),
        status: OneOf(bundleStatuses),
        files: Type.Integer(),
        paths: Type.Array(Text),
      }),
    ),
  }),
  errors: ['NOT_FOUND', 'BUILD_NOT_IN_PROJECT'],
  async handle({ core, sql, who, params }) {
    const { uid: game_uid } = await findForEditor(sql, who, params.uid)
    const build = await findProjectBuild(sql, game_uid, params.build_id)
    const packs = await findBundledPacks(core.slow, game_uid, build.uid, who.user_uid)
    return {
      build_id: build.uid,
      matches: packs.map(({ uid, name, files, paths, ...rights }) => ({
        pack: { uid, name },
        status: bundleStatus(rights),
        files,
        paths,
      })),
    }
  },
})
