-- Both have a default, so that the previous version can go on inserting listings without them.
-- Languages are a list of {"code", "interface", "audio", "subtitles"}.
alter table listings
  add column languages jsonb not null default '[]',
  add column accessibility text[] not null default '{}';
