-- The names that a published listing had before: links to them lead to its page for a year, and no
-- other listing can take them. The previous version does not write here; a name that it gives away
-- belongs to the listing that has it.
create table former_names (
  name text primary key,
  listing_uid uuid not null references listings (uid) on delete cascade,
  changed_at timestamptz not null default now()
);

create index former_names_listing_idx on former_names (listing_uid);
