-- Appeals against decisions of moderators, one for each. They stay when the person leaves, because
-- the yearly figures count them, but without what the person wrote. The previous version does not
-- know them.
create table appeals (
  uid uuid primary key,
  action_uid uuid not null unique references moderation_actions,
  user_uid uuid references users on delete set null,
  text text not null,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  outcome text check (outcome in ('upheld', 'reversed')),
  reasons text,
  decided_by uuid references users on delete set null,
  check ((decided_at is null) = (outcome is null)),
  check ((decided_at is null) = (reasons is null))
);
create index appeals_open on appeals (created_at) where decided_at is null;
create index appeals_user on appeals (user_uid) where user_uid is not null;
create index appeals_decided_by on appeals (decided_by) where decided_by is not null;

create function forget_appellant() returns trigger language plpgsql as $$
begin
  new.text = '';
  return new;
end $$;

create trigger forget_appellant before update of user_uid on appeals for each row
  when (new.user_uid is null)
  execute function forget_appellant();
