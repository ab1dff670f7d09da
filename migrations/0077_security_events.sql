-- What happened to the security of accounts and listings. Rows are only added: a trigger refuses
-- every change except the ones below it names.
create table security_events (
  uid uuid primary key,
  at timestamptz not null default now(),
  kind text not null,
  -- The account that it concerns; null for an unknown name, and after the account was deleted.
  user_uid uuid references users on delete set null,
  game_uid uuid,
  -- Who did it; null for somebody who is not signed in, a command or a job.
  actor_uid uuid references users on delete set null,
  actor text not null
    check (actor in ('visitor', 'session', 'player', 'agent', 'command_line', 'service')),
  -- The /24 or /48 of the address, never the address.
  network text,
  browser text,
  system text,
  request_id text,
  -- Never a secret or a name.
  detail jsonb not null default '{}'
);
create index security_events_at on security_events (at desc, uid desc);
create index security_events_kind on security_events (kind, at desc, uid desc);
create index security_events_user on security_events (user_uid, at desc, uid desc)
  where user_uid is not null;
create index security_events_game on security_events (game_uid, at desc, uid desc)
  where game_uid is not null;
create index security_events_actor on security_events (actor_uid)
  where actor_uid is not null;

-- Allowed are: removing the names of a deleted account, and deleting by the sweep, which says so
-- in its transaction.
create function keep_security_events() returns trigger
language plpgsql as $$
declare
  names constant text[] := array['user_uid', 'actor_uid'];
begin
  if tg_op = 'DELETE' then
    if current_setting('slipway.security_event_sweep', true) = 'on' then
      return old;
    end if;
  elsif to_jsonb(new) - names = to_jsonb(old) - names
    and (new.user_uid is null or new.user_uid is not distinct from old.user_uid)
    and (new.actor_uid is null or new.actor_uid is not distinct from old.actor_uid) then
    return new;
  end if;
  raise exception 'security events cannot be changed';
end $$;

create trigger security_events_append_only
  before update or delete on security_events
  for each row execute function keep_security_events();
