-- Who may sign up and publish, and first releases that wait for a review. The previous version does
-- not read these tables.

-- Links with which people sign up. Only the hash of the token is kept.
create table invitations (
  uid uuid primary key,
  token_hash bytea not null unique,
  note text not null check (length(note) <= 200),
  max_uses int not null check (max_uses between 1 and 1000),
  uses int not null default 0 check (uses between 0 and max_uses),
  -- Whether those who sign up with it may publish where publishing needs an approval.
  may_publish boolean not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- Null once the operator who made it is deleted.
  created_by uuid references users on delete set null
);
create index invitations_newest on invitations (created_at desc, uid desc);
create index invitations_created_by on invitations (created_by) where created_by is not null;

create table invitation_uses (
  user_uid uuid primary key references users on delete cascade,
  invitation_uid uuid not null references invitations on delete cascade,
  used_at timestamptz not null default now()
);
create index invitation_uses_invitation on invitation_uses (invitation_uid);

-- Who may publish, where publishing needs an approval, and who asked for it.
create table publisher_approvals (
  user_uid uuid primary key references users on delete cascade,
  state text not null check (state in ('requested', 'approved', 'declined')),
  -- What the person wrote; empty if an operator or an invitation approved without a request.
  request text not null default '' check (length(request) <= 2000),
  requested_at timestamptz,
  -- Why an operator declined, or a word with the approval.
  reason text not null default '' check (length(reason) <= 1000),
  decided_at timestamptz,
  -- Null for an invitation, and once the operator is deleted.
  decided_by uuid references users on delete set null
);
create index publisher_approvals_state on publisher_approvals (state, requested_at);
create index publisher_approvals_decided_by on publisher_approvals (decided_by)
  where decided_by is not null;

-- The first release of a listing, where operators review it.
create table held_releases (
  game_uid uuid primary key references all_listings on delete cascade,
  state text not null check (state in ('waiting', 'approved', 'declined')),
  requested_at timestamptz not null default now(),
  -- Null once that account is deleted.
  requested_by uuid references users on delete set null,
  reason text not null default '' check (length(reason) <= 1000),
  decided_at timestamptz,
  decided_by uuid references users on delete set null
);
create index held_releases_state on held_releases (state, requested_at);
create index held_releases_requested_by on held_releases (requested_by)
  where requested_by is not null;
create index held_releases_decided_by on held_releases (decided_by) where decided_by is not null;
