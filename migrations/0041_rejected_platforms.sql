-- A build that was registered without a platform, or with only a part of one, takes it from its
-- first file that names a system and was not rejected by its scan. If that file is rejected later,
-- the next one gives the platform, or the build has the registered one again. The uids of files
-- are in the order of their first upload; uploaded_at changes when content is uploaded again.
--
-- Does nothing if another build of the version has that platform.
create or replace function take_platform(build uuid) returns void language plpgsql as $$
begin
  update builds b set
    os = settled.os,
    arch = settled.arch,
    registered_os = case when settled.taken then settled.registered_os end,
    registered_arch = case when settled.taken then settled.registered_arch end
  from (
    select
      registered.os as registered_os,
      registered.arch as registered_arch,
      first.os is not null as taken,
      coalesce(first.os, registered.os) as os,
      case
        when registered.arch = '' then coalesce(first.arch, '')
        else registered.arch
      end as arch
    from (
      select coalesce(registered_os, os) as os, coalesce(registered_arch, arch) as arch
      from builds
      where uid = build
    ) registered
    left join (
      select f.os, f.arch
      from files f
      where f.build_uid = build and f.os <> '' and f.scan not in ('infected', 'error')
      order by f.uid
      limit 1
    ) first
      on registered.os = ''
        or (registered.os = first.os and registered.arch = '' and first.arch <> '')
  ) settled
  where b.uid = build and (b.os, b.arch) is distinct from (settled.os, settled.arch);
exception
  when unique_violation then null;
end $$;

-- A trigger, so that it also applies to scans of processes of the previous version.
create function settle_platform_of_file() returns trigger language plpgsql as $$
begin
  perform from builds b
  where b.uid = new.build_uid and (b.registered_os is not null or b.os = '' or b.arch = '');
  if found then
    -- A registration that does not name the platform waits, and then finds this build.
    perform from all_listings where uid = new.game_uid for no key update;
    perform take_platform(new.build_uid);
  end if;
  return null;
end $$;
create trigger settle_platform after update of scan on files for each row
  when (
    new.os <> ''
    and (old.scan in ('infected', 'error')) <> (new.scan in ('infected', 'error'))
  )
  execute function settle_platform_of_file();

-- Builds whose platform came from a rejected file. One that is being written to keeps it until its
-- next file is rejected.
select take_platform(b.uid)
from (
  select uid
  from builds
  where registered_os is not null
  order by created_at, uid
  for no key update skip locked
) b;
