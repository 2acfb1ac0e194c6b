import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { testSeed } from '@fleet/testing/sample'
import { Failure } from './failure.ts'
import { parseJson, parseJsonc } from './json.ts'

const ORIGIN = { file: 'x.json', invalid: 'dependencies.invalid_manifest' } as const

function check(parse: typeof parseJson, text: string): string {
  try {
    return JSON.stringify(parse(text, ORIGIN))
  } catch (error) {
    if (error instanceof Failure) return error.check
    throw error
  }
}

test('strict JSON is what JSON.parse takes, without keys that are given twice', () => {
  for (const [text, expected] of [
    ['{"a":{"b":[1,{"c":null}]},"__proto__":{"d":1}}', '{"a":{"b":[1,{"c":null}]},"__proto__":{"d":1}}'],
    ['{"a:":":\\":","b":"\\\\"}', '{"a:":":\\":","b":"\\\\"}'],
    ['{"a":1,"a":1}', 'duplicate_key'],
    ['[{"a":{"b":1,"c":2,"\\u0062":3}}]', 'duplicate_key'],
    ['{"__proto__":1,"__proto__":2}', 'duplicate_key'],
    ['{"a":"\\\\\\"","b\\\\":"\\\\"}', '{"a":"\\\\\\"","b\\\\":"\\\\"}'],
    ['{"a":"\\"\\"","a":1}', 'duplicate_key'],
    ['{"a":{"x":"y"},"a":["z"]}', 'duplicate_key'],
    ['{"a":1,}', 'not_json'],
    ['// a\n1', 'not_json'],
    ['"', 'not_json'],
    ['', 'not_json'],
    [`${'['.repeat(100)}${']'.repeat(100)}`, `${'['.repeat(100)}${']'.repeat(100)}`],
    [`${'['.repeat(101)}${']'.repeat(101)}`, 'too_deep'],
    ['[{'.repeat(1_000_000), 'too_deep'],
  ] as const)
    assert.equal(check(parseJson, text), expected, text.slice(0, 60))
})

test('comments and trailing commas are let through outside of texts alone', () => {
  for (const [text, expected] of [
    ['{"a":1,}', '{"a":1}'],
    ['[1,2 , // two\n /* three, */ ]', '[1,2]'],
    ['/**/{/*"a":1,*/"b":"/*c*/ // d",}//', '{"b":"/*c*/ // d"}'],
    ['[",]",]', '[",]"]'],
    ['[,]', 'not_json'],
    ['[1,,]', 'not_json'],
    ['{"a":,}', 'not_json'],
    ['{,}', 'not_json'],
    ['1,', 'not_json'],
    ['/* 1', 'not_json'],
    ['1 /', 'not_json'],
    ['{"a":1,/*:*/"a":2}', 'duplicate_key'],
    ['// :\n{"a":1}', '{"a":1}'],
    ['1/**/2', 'not_json'],
    ['{"a":[1,\n],\n  "b":"x",\n}', '{"a":[1],"b":"x"}'],
    ['{"a":[true,\r\n],\r\n}', '{"a":[true]}'],
    ['[,\n]', 'not_json'],
    ['{"a":1,,\n}', 'not_json'],
    ['{"a":",\n]"}', 'not_json'],
    ['{"a":1,\n"a":2,\n}', 'duplicate_key'],
  ] as const)
    assert.equal(check(parseJsonc, text), expected, text)
})

test('any value is read back as JSON.parse reads it, with comments and trailing commas between its tokens', () => {
  const noise = fc.constantFrom('', ' ', '\n', '/* , ] } " : */', '// , ] } " :\n')
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.infiniteStream(noise), (value, noises) => {
      const between = (): string => noises.next().value ?? ''
      const text = JSON.stringify(value)
      const expected = JSON.stringify(JSON.parse(text))
      assert.equal(check(parseJson, text), expected)
      const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^[\]{}:,"]+/g) ?? []
      const isFilled = (at: number): boolean => !/^[[{]$/.test(tokens[at - 1] ?? '')
      const lenient = tokens.map((token, at) =>
        /^[\]}]$/.test(token) && isFilled(at) ? `,${between()}${token}${between()}` : `${token}${between()}`,
      )
      assert.equal(check(parseJsonc, between() + lenient.join('')), expected)
    }),
    { seed: testSeed(), numRuns: 300 },
  )
})
