-- The lists of the console are newest first, and lists of a million rows must not be sorted.
create index if not exists users_newest on users (created_at desc, uid desc);
create index if not exists all_listings_newest on all_listings (created_at desc, uid desc);

-- Each state that listings are filtered by.
create index if not exists all_listings_state
  on all_listings (visibility, created_at desc, uid desc)
  where deleted_at is null and taken_down_at is null;
create index if not exists all_listings_taken_down on all_listings (created_at desc, uid desc)
  where deleted_at is null and taken_down_at is not null;
create index if not exists all_listings_hidden on all_listings (created_at desc, uid desc)
  where deleted_at is null and hidden_at is not null;

-- The beginning of a name.
create index if not exists all_listings_name_search
  on all_listings (lower(name) text_pattern_ops);
create index if not exists all_listings_vanity_name_search
  on all_listings (lower(vanity_name) text_pattern_ops);

-- users_newest does the same.
drop index if exists users_created;
