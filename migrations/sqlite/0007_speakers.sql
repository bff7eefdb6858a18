-- For whom a speaker played when he said a line; null for who played for nobody, and where it
-- was said before this column was there.
alter table talk add column side text
    constraint talk_side_known check (side in ('south', 'north'));
