import { type TagVotes, tagLimits } from '../../src/library/community-tags.ts'

const MAX_SHOWN = 10

/**
 * The rule of the view `shown_community_tags`, which the database must follow: the community tags
 * that a page shows, most suggested first. Hiding a tag keeps its votes.
 */
export function visibleTags(
  votes: readonly TagVotes[],
  developer_tags: readonly string[],
  hidden: readonly string[],
): TagVotes[] {
  const excluded = new Set([...developer_tags, ...hidden])
  return votes
    .filter(({ tag, votes }) => votes >= tagLimits.votes_to_show && !excluded.has(tag))
    .sort((a, b) => b.votes - a.votes || (a.tag < b.tag ? -1 : 1))
    .slice(0, MAX_SHOWN)
}
