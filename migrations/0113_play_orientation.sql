-- How a game in the browser is held: its frame on the page and the orientation of a phone in full
-- screen follow. `any` fits the player's screen and locks nothing.
alter table play_settings
  add column if not exists orientation text not null default 'any'
    check (orientation in ('any', 'landscape', 'portrait'));
