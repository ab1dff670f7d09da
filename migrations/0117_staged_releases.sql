-- A build that a channel delivers to a part of the devices, while its head is still another build. It
-- ends with the head, and whenever the head moves.
create table staged_releases (
  game_uid uuid not null,
  app text not null,
  channel text not null,
  os text not null,
  arch text not null,
  build_uid uuid not null references builds on delete cascade,
  percent int not null check (percent between 1 and 99),
  staged_at timestamptz not null default now(),
  primary key (game_uid, app, channel, os, arch),
  foreign key (game_uid, app, channel, os, arch) references channel_heads on delete cascade
);
create index staged_releases_build on staged_releases (build_uid);

-- A head that moves to another build ends what was staged beside it, whoever moves it: also the
-- version of the service that does not know of staged releases.
create function end_staged_release() returns trigger language plpgsql as $$
begin
  delete from staged_releases s
  where s.game_uid = new.game_uid and s.app = new.app and s.channel = new.channel
    and s.os = new.os and s.arch = new.arch;
  return null;
end $$;

create trigger end_staged_release after update of build_uid on channel_heads for each row
  when (old.build_uid is distinct from new.build_uid)
  execute function end_staged_release();

alter table channel_history
  drop constraint channel_history_event_check,
  add constraint channel_history_event_check
    check (event in ('upload', 'promote', 'rollback', 'delete', 'withdraw', 'restore', 'stage', 'unstage'))
    not valid,
  -- Of the devices that a staged build was delivered to.
  add column percent int;
