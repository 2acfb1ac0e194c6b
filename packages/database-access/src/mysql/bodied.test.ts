import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasBody } from './bodied.ts'

const MODE = { ansiQuotes: false, noBackslashEscapes: false }

test('a statement that creates or alters a routine, trigger, event or package has a body, and so has BEGIN NOT ATOMIC', () => {
  for (const sql of [
    'create procedure p() begin select 1; select 2; end',
    'CREATE OR REPLACE AGGREGATE FUNCTION f() RETURNS int BEGIN RETURN 1; END',
    "create definer = 'a'@'%' trigger t before insert on x for each row begin set @a = 1; end",
    'create or replace definer = current_user() procedure p() begin end',
    'create /* why */ /*!50117 definer = `a`@`b` */ event e on schedule every 1 day do begin end',
    'alter definer = a@b event e do begin select 1; end',
    'create package body p as end',
    'begin not atomic select 1; select 2; end',
  ])
    assert.ok(hasBody(sql, MODE), sql)
})

test('no other statement has one, whatever it names', () => {
  for (const sql of [
    'begin; delete from t',
    'create table a (i int); drop table b',
    'create table `procedure` (i int); drop table b',
    'create table t (event int); drop table b',
    'alter table t add trigger_id int; drop table b',
    'create or replace view v as select 1; drop procedure p',
    'create definer = a@b view v as select 1 as event; drop table b',
    'drop procedure p; drop table b',
    'select 1',
  ])
    assert.ok(!hasBody(sql, MODE), sql)
})
