import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doctorCodes } from '@fleet/contract'
import { MUTATIONS, NOT_MADE } from './doctor-mutations.test.ts'
import { followEach } from './doctor-next.ts'

test('every code of Doctor has its mutation here, or stands in the list of those that have none with the reason', () => {
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

followEach(
  'next',
  MUTATIONS.filter(({ code }) => !code.startsWith('role.')),
)
