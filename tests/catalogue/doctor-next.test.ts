import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doctorCodes } from '@fleet/contract'
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
