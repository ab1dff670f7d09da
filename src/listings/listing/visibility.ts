import type { Visibility } from '../fields/fields.ts'

export type Viewer = { user_uid: string } | null
export type Access = 'owner' | 'admin' | 'player'
/** Who the viewer is to a listing. An invite that was not accepted counts for nothing. */
export type Standing = { is_owner: boolean; is_accepted_admin: boolean }
type Page = { visibility: Visibility; adult: boolean }

const everyone: readonly Access[] = ['owner', 'admin', 'player']

const pageOpensFor: Record<Visibility, readonly Access[]> = {
  draft: ['owner', 'admin'],
  // Admins work on it in their dashboard, yet its page is the owner's alone.
  owner: ['owner'],
  invisible: everyone,
  public: everyone,
}

export function standingOf(
  viewer: Viewer,
  listing: { owner_uid: string; accepted_admin_uids: readonly string[] },
): Standing {
  return {
    is_owner: viewer?.user_uid === listing.owner_uid,
    is_accepted_admin: viewer !== null && listing.accepted_admin_uids.includes(viewer.user_uid),
  }
}

export function accessOf({ is_owner, is_accepted_admin }: Standing): Access {
  if (is_owner) return 'owner'
  return is_accepted_admin ? 'admin' : 'player'
}

/** Whoever may not is answered as if there were no such page. */
export function canOpenPage({
  visibility,
  ...standing
}: Standing & { visibility: Visibility }): boolean {
  return pageOpensFor[visibility].includes(accessOf(standing))
}

/** The dashboard and every edit, in every visibility. */
export function canEdit(standing: Standing): boolean {
  return accessOf(standing) !== 'player'
}

export function canDelete(standing: Standing): boolean {
  return accessOf(standing) === 'owner'
}

/** Adding admins and removing others; leaving is for everyone. */
export function canManageAdmins(standing: Standing): boolean {
  return accessOf(standing) === 'owner'
}

/** Draft and owner pages are shown with a notice and are not for sale. */
export function isUnreleasedPage({ visibility }: Pick<Page, 'visibility'>): boolean {
  return visibility === 'draft' || visibility === 'owner'
}

export function canBeBought(page: Pick<Page, 'visibility'>): boolean {
  return !isUnreleasedPage(page)
}

/** Search engines and the sitemap. */
export function isIndexable({
  visibility,
  adult,
  indexable,
}: Page & { indexable: boolean }): boolean {
  return visibility === 'public' && indexable && !adult
}

/** Search and lists of children, for a viewer who did or did not turn adult content on. */
export function isSearchable(
  { visibility, adult }: Page,
  { sees_adult }: { sees_adult: boolean },
): boolean {
  return visibility === 'public' && (!adult || sees_adult)
}

/** Shelves, popular tags: what everyone sees alike. */
export function isForEveryone({ visibility, adult }: Page): boolean {
  return visibility === 'public' && !adult
}

/** Files and downloads behind the page: the page's own rule, and the adult opt-in for all but those who run it. */
export function canOpenFiles({
  visibility,
  adult,
  sees_adult,
  ...standing
}: Page & Standing & { sees_adult: boolean }): boolean {
  return canOpenPage({ visibility, ...standing }) && (!adult || sees_adult || canEdit(standing))
}

/** A page not out yet has no press page, not even for its owner. */
export function hasPressPage(page: Page & Standing & { sees_adult: boolean }): boolean {
  return !isUnreleasedPage(page) && canOpenFiles(page)
}
