import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { doctorCodes } from '@fleet/contract'
import { ROOT } from './follow.ts'
import { MUTATIONS, NOT_MADE } from '../lab/doctor-mutations.test.ts'

test('every code of Doctor is made in the lab and its next step followed there, or is listed with the reason why not', () => {
  const made = new Set<string>(MUTATIONS.map(({ code }) => code))
  const named = new Set(Object.keys(NOT_MADE))
  assert.deepEqual(
    Object.keys(doctorCodes).filter((code) => !made.has(code) && !named.has(code)),
    [],
    'codes without a mutation',
  )
  const known = new Set(Object.keys(doctorCodes))
  assert.deepEqual(
    [...named].filter((code) => made.has(code) || !known.has(code)),
    [],
    'codes that are made, or are none any more',
  )
})

test('a test that a reason names exists', () => {
  const tests = new Set(
    globSync('{apps,packages,tests}/**/*.test.ts', {
      cwd: ROOT,
      exclude: (path) => path.includes('node_modules'),
    }).map((path) => basename(path)),
  )
  const named = Object.values(NOT_MADE).flatMap((reason) => reason.match(/[\w.-]+\.test\.ts/g) ?? [])
  assert.ok(named.length > 10)
  assert.deepEqual(
    named.filter((name) => !tests.has(name)),
    [],
  )
})
