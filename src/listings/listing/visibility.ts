import type { Visibility } from '../fields/fields.ts'

export type Viewer = { user_uid: string } | null
type Access = 'owner' | 'admin' | 'player'
/** The roles of a viewer in a listing. An invite gives no role until it is accepted. */
export type Standing = { is_owner: boolean; is_accepted_admin: boolean }
type Page = { visibility: Visibility; adult: boolean }

const everyone: readonly Access[] = ['owner', 'admin', 'player']

const pageOpensFor: Record<Visibility, readonly Access[]> = {
  draft: ['owner', 'admin'],
  // Admins can edit the listing in the dashboard, but only the owner can open its page.
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

function accessOf({ is_owner, is_accepted_admin }: Standing): Access {
  if (is_owner) return 'owner'
  return is_accepted_admin ? 'admin' : 'player'
}

/** Viewers who may not open a page must get the same error as for a missing page. */
export function canOpenPage({
  visibility,
  ...standing
}: Standing & { visibility: Visibility }): boolean {
  return pageOpensFor[visibility].includes(accessOf(standing))
}

/** Whether the viewer may use the dashboard and edit the listing, in every visibility. */
export function canEdit(standing: Standing): boolean {
  return accessOf(standing) !== 'player'
}

export function canDelete(standing: Standing): boolean {
  return accessOf(standing) === 'owner'
}

/** Whether the viewer may add and remove admins. Every admin may remove themselves. */
export function canManageAdmins(standing: Standing): boolean {
  return accessOf(standing) === 'owner'
}

/** Draft and owner-only pages show a notice and are not for sale. */
export function isUnreleasedPage({ visibility }: Pick<Page, 'visibility'>): boolean {
  return visibility === 'draft' || visibility === 'owner'
}

export function canBeBought(page: Pick<Page, 'visibility'>): boolean {
  return !isUnreleasedPage(page)
}

/** Whether the page is in the sitemap and search engines may index it. */
export function isIndexable({
  visibility,
  adult,
  indexable,
}: Page & { indexable: boolean }): boolean {
  return visibility === 'public' && indexable && !adult
}

/** Whether lists may show a public listing to a viewer, by their setting for adult content. */
export function passesAdultFilter({ adult }: Pick<Page, 'adult'>, sees_adult: boolean): boolean {
  return !adult || sees_adult
}

/**
 * Whether the viewer may see and download files. They must be able to open the page and, unless
 * they can edit it, have opted in to adult content if the listing is adult.
 */
export function canOpenFiles({
  visibility,
  adult,
  sees_adult,
  ...standing
}: Page & Standing & { sees_adult: boolean }): boolean {
  return (
    canOpenPage({ visibility, ...standing }) &&
    (passesAdultFilter({ adult }, sees_adult) || canEdit(standing))
  )
}

/** An unreleased page has no press page, not even for its owner. */
export function hasPressPage(page: Page & Standing & { sees_adult: boolean }): boolean {
  return !isUnreleasedPage(page) && canOpenFiles(page)
}
