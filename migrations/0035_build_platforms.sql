-- A build that was registered without a platform, or with only a part of one, takes it from its
-- first file that names a system. What it was registered with stays known, so that registering it
-- the same way again finds the same build. Null: its platform is the registered one.
alter table builds
  add column registered_os text,
  add column registered_arch text;

-- Does nothing if another build of the version has that platform.
create function take_platform(build uuid) returns void language plpgsql as $$
begin
  update builds b set
    registered_os = b.os,
    registered_arch = b.arch,
    os = first.os,
    arch = case when b.arch = '' then first.arch else b.arch end
  from (
    select f.os, f.arch
    from files f
    where f.build_uid = build and f.os <> ''
    order by f.uploaded_at, f.uid
    limit 1
  ) first
  where b.uid = build
    and b.registered_os is null
    and (b.os = '' or (b.os = first.os and b.arch = '' and first.arch <> ''));
exception
  when unique_violation then null;
end $$;

-- These are triggers, so that they also apply to what processes of the previous version write.
create function take_platform_of_file() returns trigger language plpgsql as $$
begin
  perform from builds b where b.uid = new.build_uid and (b.os = '' or b.arch = '');
  if found then
    -- A registration that does not name the platform waits, and then finds this build.
    perform from listings where uid = new.game_uid for no key update;
    perform take_platform(new.build_uid);
  end if;
  return null;
end $$;
create trigger take_platform after insert on files for each row
  when (new.os <> '') execute function take_platform_of_file();

-- The registration then conflicts with that build, and updates it.
create function find_registered_platform() returns trigger language plpgsql as $$
declare
  taken record;
begin
  perform from listings where uid = new.game_uid for no key update;
  select b.os, b.arch into taken
  from builds b
  where b.game_uid = new.game_uid
    and b.app = new.app
    and b.version = new.version
    and b.build_type = new.build_type
    and b.channel = new.channel
    and b.registered_os = new.os
    and b.registered_arch = new.arch
  limit 1;
  if found then
    new.os := taken.os;
    new.arch := taken.arch;
  end if;
  return new;
end $$;
create trigger find_registered_platform before insert on builds for each row
  when (new.os = '' or new.arch = '') execute function find_registered_platform();

-- A build that is being written to takes its platform with its next file.
select take_platform(b.uid)
from (
  select uid
  from builds
  where os = '' or arch = ''
  order by created_at, uid
  for no key update skip locked
) b;

-- The files of a build that have the same content share one stored object, which has the uid of the
-- first of them. Null: the object has the uid of the file itself.
alter table files add column object_uid uuid;
create index files_object on files (object_uid) where object_uid is not null;
