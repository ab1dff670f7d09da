-- What editors make of a zip (src/listings/editor.ts), known once it was scanned.
alter table files
  add column has_project_file boolean,
  add column has_wrapper boolean,
  add column has_folders boolean;

-- Zips scanned before this: their folders were not written down, so nothing is said of those.
update files f set has_project_file = e.has_project_file, has_wrapper = e.has_wrapper from (
  select file_uid, bool_or(path ~ '^([^/]+/)?project\.godot$') as has_project_file,
    count(distinct split_part(path, '/', 1)) = 1 and bool_and(position('/' in path) > 0) and min(split_part(path, '/', 1)) <> 'addons' as has_wrapper
  from file_entries group by file_uid) e
where e.file_uid = f.uid and f.scan = 'clean';

-- Editors know an author, like a package, by a positive whole number.
alter table users add column author_id bigint generated always as identity unique;
