import assert from 'node:assert/strict'
import { test } from 'node:test'
import { productionValues } from './values.ts'

test('a clone runs for production in the words of its framework [ENV-069]', () => {
  const of = (framework: 'laravel' | 'symfony' | null) => Object.fromEntries(productionValues(framework))
  assert.deepEqual(of('laravel'), { APP_ENV: 'production', APP_DEBUG: 'false' })
  assert.deepEqual(of(null), { APP_ENV: 'production', APP_DEBUG: 'false' })
  assert.deepEqual(of('symfony'), { APP_ENV: 'prod', APP_DEBUG: '0' })
})
