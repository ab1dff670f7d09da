import { Type } from 'typebox'
import { readCommunityTags } from '../../library/tag-routes.ts'
import { patchFields } from '../../listings/fields/fields.ts'
import {
  declareDependencyRoute,
  dependenciesRoute,
  engineCompatRoute,
  modSettingsRoute,
  readStoreLinksRoute,
  similarRoute,
  storeLinksRoute,
  taxonomyRoute,
} from '../../listings/listing/edit-routes.ts'
import {
  dependencies,
  dependency_kind,
  dependencyTarget,
  license,
  modSettings,
  ranges,
  similar,
  store_links,
} from '../../listings/listing/input-schemas.ts'
import {
  changeListingRoute,
  createListing,
  listListings,
  readMyListing,
} from '../../listings/listing/routes.ts'
import { deleteMedia, orderMedia, readMediaRoute } from '../../listings/media/routes.ts'
import { listAdmins } from '../../listings/people/routes.ts'
import { readPressKitRoute, savePressKitRoute } from '../../press/routes.ts'
import { kitInput } from '../../press/schema.ts'
import { dependents, hideTag } from './composed-tools.ts'
import { validateListing } from './listing-check.ts'
import { listing, newListing, parent, required_license, taxonomy } from './schemas.ts'
import type { Tool } from './tool.ts'

const optional = Type.Optional

/** What the page of a listing says, and what it is related to. */
export const pageTools: Tool[] = [
  {
    name: 'list_games',
    title: 'My listings',
    description:
      'Lists the listings (games, tools, mods, assets) that the person owns or helps run, with ' +
      'their uid, visibility and role.',
    calls: [listListings],
  },
  {
    name: 'get_game',
    title: 'A listing',
    description:
      'Reads everything on the page of a listing that the person runs, drafts included: texts, ' +
      'taxonomy, images, files, editions, relations.',
    calls: [readMyListing],
  },
  {
    name: 'create_game',
    title: 'Create a listing',
    description:
      'Creates a listing: a draft unless visibility is given. Public needs the listing check ' +
      'to pass.',
    calls: [createListing],
    input: { ...newListing, parent },
  },
  {
    name: 'update_game',
    title: 'Update a listing',
    description:
      'Changes the given fields of a listing and keeps the others. Set visibility to public to ' +
      'publish it; validate_listing must report no errors. Answers the whole page.',
    calls: [changeListingRoute],
    input: { ...listing, parent, ...license },
    without: ['price_cents'],
  },
  {
    name: 'validate_listing',
    title: 'Check a listing',
    description:
      'Checks a listing: what prevents publishing (errors), what would improve the page ' +
      '(warnings), what is fine (passes), its current taxonomy and the allowed values with what ' +
      'they mean.',
    input: { uid: Type.String() },
    ...validateListing,
  },
  {
    name: 'update_game_taxonomy',
    title: 'Update the taxonomy',
    description:
      'Changes genres, tags and the other fields by which players find a listing. Given fields ' +
      'are replaced, others stay; null or an empty list clears a field.',
    calls: [taxonomyRoute],
    input: taxonomy,
  },
  {
    name: 'set_similar_games',
    title: 'Set similar titles',
    description: 'Replaces the list of public games that a listing says it is similar to.',
    calls: [similarRoute],
    input: { games: similar },
  },
  {
    name: 'set_mod_settings',
    title: 'Set mod installation',
    description:
      'Sets how a mod or plugin is installed. Replaces all three fields; one that is left out is ' +
      'cleared.',
    calls: [modSettingsRoute],
    input: modSettings,
  },
  {
    name: 'list_media',
    title: 'Images of a listing',
    description:
      'Lists the cover, the thumbnail and the gallery images of a listing with their addresses. ' +
      'Agents cannot upload images.',
    calls: [readMediaRoute],
  },
  {
    name: 'order_media',
    title: 'Reorder the gallery',
    description: 'Puts the gallery images of a listing into a new order. Takes each image once.',
    calls: [orderMedia],
    input: { order: Type.Array(Type.String(), { description: 'Uids of gallery images' }) },
  },
  {
    name: 'delete_media',
    title: 'Delete an image',
    description:
      'Deletes an image of a listing: a gallery image by its uid, or the cover or the thumbnail ' +
      'by that name. A public listing keeps its cover and thumbnail.',
    calls: [deleteMedia],
    about: { image: 'A uid from list_media, or cover or thumbnail' },
    destructive: true,
  },
  {
    name: 'get_press_kit',
    title: 'Press kit',
    description:
      'Reads the press kit of a listing: release date, links, quotes, awards, credits and ' +
      'history.',
    calls: [readPressKitRoute],
  },
  {
    name: 'set_press_kit',
    title: 'Replace the press kit',
    description:
      'Replaces the whole press kit of a listing: fields that are left out are cleared. Read it ' +
      'with get_press_kit first.',
    calls: [savePressKitRoute],
    input: kitInput,
  },
  {
    name: 'list_community_tags',
    title: 'Community tags',
    description:
      'Lists the tags that players suggest for a listing, with their votes, hidden ones ' +
      'included.',
    calls: [readCommunityTags],
  },
  {
    name: 'hide_community_tag',
    title: 'Hide or show a community tag',
    description:
      'Hides a tag that players suggest from the page of a listing and keeps its votes. Set show ' +
      'to true to show it again.',
    input: { uid: Type.String(), tag: Type.String(), show: optional(Type.Boolean()) },
    about: { tag: 'A tag from list_community_tags', show: 'true shows a hidden tag again' },
    ...hideTag,
  },
  {
    name: 'get_store_links',
    title: 'Store links',
    description:
      'Reads the links from a listing to other stores, and every store with its name and allowed ' +
      'hosts.',
    calls: [readStoreLinksRoute],
  },
  {
    name: 'set_store_links',
    title: 'Replace the store links',
    description: 'Replaces all links from a listing to other stores; one link per store.',
    calls: [storeLinksRoute],
    input: { store_links },
  },
  {
    name: 'set_dependencies',
    title: 'Replace the dependencies',
    description:
      'Replaces the list of other listings that a listing uses, supports or was made with.',
    calls: [dependenciesRoute],
    input: { dependencies },
  },
  {
    name: 'declare_dependency',
    title: 'Add or remove a dependency',
    description:
      'Adds one other listing that a listing uses, supports or was made with, or removes it. The ' +
      'others stay.',
    calls: [declareDependencyRoute],
    names: { target_uid: 'game' },
    about: { remove: 'true removes it' },
    input: {
      target_uid: dependencyTarget,
      kind: dependency_kind,
    },
  },
  {
    name: 'list_dependents',
    title: 'Dependents',
    description: 'Lists the public listings that declare this one as a dependency.',
    input: { uid: Type.String() },
    ...dependents,
  },
  {
    name: 'declare_engine_compat',
    title: 'Replace engine compatibility',
    description: 'Replaces the ranges of engine versions that a listing works with.',
    calls: [engineCompatRoute],
    names: { compat: 'ranges' },
    input: { compat: ranges },
  },
  {
    name: 'declare_license',
    title: 'Set the license',
    description: 'Sets the kind of license of a listing; null removes it.',
    calls: [changeListingRoute],
    input: required_license,
    without: [...patchFields.filter((name) => name !== 'license_kind'), 'parent', 'price_cents'],
  },
  {
    name: 'list_admins',
    title: 'Admins',
    description:
      'Lists the admins of a listing, pending invitations, and whether agents of admins may work ' +
      'on it. People are invited and removed on the website.',
    calls: [listAdmins],
  },
]
