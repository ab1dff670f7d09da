import type { Identity } from '../../accounts/sessions/identity.ts'
import { authorizeFileAccess } from '../../builds/channels/access.ts'
import { findGameOfFile, readVisibleFiles } from '../../builds/files/queries.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { findForEditor } from '../../listings/listing/edit.ts'
import { openPage } from '../../listings/page/page.ts'
import { findTarget, type Target } from '../targets/queries.ts'
import { isPublicPerson, isShownReview, isShownTag } from './queries.ts'
import type { ReportedType } from './report-input.ts'

type Reader = { core: Core; who: Identity | null }

/** Whether the reporter can see the target. Throws what its own page would. */
const visibility: Record<ReportedType, (reader: Reader, target: Target) => Promise<unknown>> = {
  listing: ({ core, who }, { id }) => openPage(core, who, id),
  async file({ core, who }, { id }) {
    const game_uid = (await findGameOfFile(core.sql, id)) ?? refuse('NOT_FOUND')
    const { listing, access } = await authorizeFileAccess(core.sql, who, game_uid)
    const [file] = await readVisibleFiles(core.sql, listing.uid, access, { file_uid: id })
    return file ?? refuse('NOT_FOUND')
  },
  async review({ core, who }, { id, game_uid }) {
    await openPage(core, who, game_uid!)
    return (await isShownReview(core.sql, id)) || refuse('NOT_FOUND')
  },
  async community_tag({ core, who }, { name, game_uid }) {
    await openPage(core, who, game_uid!)
    return (await isShownTag(core.sql, game_uid!, name)) || refuse('NOT_FOUND')
  },
  bug_message: ({ core, who }, { game_uid }) =>
    findForEditor(core.sql, who ?? refuse('NOT_FOUND'), game_uid!),
  person: async ({ core }, { id }) => (await isPublicPerson(core.sql, id)) || refuse('NOT_FOUND'),
}

/** The target of a report; one that the reporter cannot see answers like a missing one. */
export async function findVisibleTarget(
  reader: Reader,
  type: ReportedType,
  id: string,
): Promise<Target> {
  const target = (await findTarget(reader.core.sql, type, id)) ?? refuse('NOT_FOUND')
  await visibility[type](reader, target)
  return target
}
