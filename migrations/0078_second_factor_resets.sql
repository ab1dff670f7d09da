-- Second factors that an operator removes after a waiting time, in which their owner can stop it.
-- Who requested it is in the audit entries. As for password_resets, the token of the link that stops
-- it is derived from the nonce with a key that is not in the database.
create table second_factor_resets (
  nonce uuid primary key,
  user_uid uuid not null references users on delete cascade,
  requested_at timestamptz not null default now(),
  due_at timestamptz not null,
  stopped_at timestamptz,
  applied_at timestamptz,
  check (stopped_at is null or applied_at is null)
);
create unique index second_factor_resets_open on second_factor_resets (user_uid)
  where stopped_at is null and applied_at is null;
create index second_factor_resets_user on second_factor_resets (user_uid);
