-- The pages of the store that its operators write, such as the terms: every version stays. A
-- version takes effect on its day; the greatest version in effect is the current one. The previous
-- release does not read them.
create table policies (
  kind text not null check (kind ~ '^[a-z]{1,32}$'),
  version integer not null check (version > 0),
  -- Markdown.
  text text not null,
  -- What changed since the version before.
  summary text not null,
  effective_from date not null,
  published_at timestamptz not null default now(),
  -- Null once the person who published it is deleted.
  user_uid uuid references users on delete set null,
  primary key (kind, version)
);
create index policies_user on policies (user_uid) where user_uid is not null;

-- Which versions of the terms of the store a person accepted.
create table terms_acceptances (
  user_uid uuid not null references users on delete cascade,
  version integer not null check (version > 0),
  accepted_at timestamptz not null default now(),
  primary key (user_uid, version)
);

-- Every process knows which policies exist, like the settings of the store.
create trigger announce after insert or update or delete on policies
  for each statement execute function announce_settings();
