-- How the build is started, as its registration says: executable, args and working_dir.
alter table builds add column launch jsonb;
