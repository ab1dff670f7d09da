-- Reports of illegal content or of content against the rules. The previous version does not know
-- them.
create table reports (
  uid uuid primary key,
  target_type text not null,
  target_id text not null,
  target_name text not null,
  game_uid uuid,
  subject_uid uuid,
  kind text not null,
  text text not null,
  urls text[] not null default '{}',
  -- Who holds the rights to which work; only for copyright.
  copyright jsonb,
  contact_email text,
  user_uid uuid references users on delete set null,
  -- Tells reporters apart without their address: a keyed hash of the account, mail or address.
  reporter_hash bytea not null,
  -- The target as it was when it was reported.
  snapshot jsonb not null,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  action_uid uuid references moderation_actions,
  check ((decided_at is null) = (action_uid is null))
);
-- One open report of a reporter about a target.
create unique index reports_open_once on reports (target_type, target_id, reporter_hash)
  where decided_at is null;
create index reports_open on reports (created_at desc) where decided_at is null;
create index reports_target on reports (target_type, target_id, created_at desc);
create index reports_reporter on reports (reporter_hash);
create index reports_user on reports (user_uid) where user_uid is not null;

-- Images of targets as they were reported. Their content stays in the store.
create table report_images (
  report_uid uuid not null references reports on delete cascade,
  sha256 text not null,
  type text not null,
  size int not null,
  primary key (report_uid, sha256)
);
create index report_images_content on report_images (sha256);

-- Which moderator looks at which target.
create table moderation_assignments (
  target_type text not null,
  target_id text not null,
  user_uid uuid not null references users on delete cascade,
  assigned_at timestamptz not null default now(),
  primary key (target_type, target_id)
);
create index moderation_assignments_user on moderation_assignments (user_uid);
