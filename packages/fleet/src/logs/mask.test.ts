import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { makeMask, TRUNCATED } from '#/logs/mask.ts'
import { SETTING_KEYS } from '#/logs/setting-keys.ts'

const mask = (values: Readonly<Record<string, string>>, ...lines: readonly string[]): readonly string[] =>
  makeMask(new Map(Object.entries(values)))(lines)

test('stored values of 8 or more characters are masked wherever they stand in a line, shorter ones are not [LOGS-024]', () => {
  const values = { API_TOKEN: 'tok-12345', PIN: '1234567', STRIPE: 'sk_live_0123456789' }
  assert.deepEqual(
    mask(values, 'token=tok-12345;tok-12345', 'pin 1234567', 'key: "sk_live_0123456789"', ''),
    ['token=[REDACTED];[REDACTED]', 'pin 1234567', 'key: "[REDACTED]"', ''],
  )
})

test('the values of 27 setting keys are shown [LOGS-024]', () => {
  assert.equal(SETTING_KEYS.size, 27)
  for (const key of SETTING_KEYS)
    assert.deepEqual(mask({ [key]: 'production' }, 'env production'), ['env production'])
  for (const key of [
    'APP_KEY',
    'DB_PASSWORD',
    'DB_USERNAME',
    'DATABASE_URL',
    'REDIS_PASSWORD',
    'MAIL_PASSWORD',
  ])
    assert.deepEqual(mask({ [key]: 'production' }, 'x production'), ['x [REDACTED]'])
})

test('of two values one of which begins the other nothing is left over', () => {
  assert.deepEqual(mask({ A: 'abcdefgh', B: 'abcdefghijkl' }, 'abcdefghijkl abcdefgh'), [
    '[REDACTED] [REDACTED]',
  ])
})

test('a value is found as JSON and as a URL write it, and each line of a longer one', () => {
  const quoted = 'pass"word\\one'
  assert.deepEqual(mask({ P: quoted }, JSON.stringify({ p: quoted })), ['{"p":"[REDACTED]"}'])
  assert.deepEqual(mask({ P: 'some/secret/path' }, '{"p":"some\\/secret\\/path"}'), ['{"p":"[REDACTED]"}'])
  assert.deepEqual(mask({ P: 'p@ss word!' }, `mysql://u:${encodeURIComponent('p@ss word!')}@host`), [
    'mysql://u:[REDACTED]@host',
  ])
  assert.deepEqual(mask({ P: 'first line\nsecond line\r\nx' }, 'first line', 'a second line', 'x'), [
    '[REDACTED]',
    'a [REDACTED]',
    'x',
  ])
})

test('the password in a value that is a URL is one too, as it is there and as who logs in has it', () => {
  const values = {
    DATABASE_URL: 'mysql://app:S3cret%2FPass%40w0rd@db.internal:3306/shop?charset=utf8mb4',
    REDIS_URL: 'redis://:R3dis%Passw0rd@cache:6379',
    MAILER_DSN: 'smtp://user:short@mail:25',
    HOOK: 'https://shop.example/a:longer-than-8@b',
  }
  const lines = [
    `PDO->__construct('mysql:host=db.internal', 'app', 'S3cret/Pass@w0rd')`,
    'user app S3cret%2FPass%40w0rd',
    'AUTH R3dis%Passw0rd',
    'short db.internal app longer-than-8',
  ]
  assert.deepEqual(mask(values, ...lines), [
    `PDO->__construct('mysql:host=db.internal', 'app', '[REDACTED]')`,
    'user app [REDACTED]',
    'AUTH [REDACTED]',
    lines[3],
  ])
})

test('a value is found as Fleet itself quotes it: in a `.env` file, in the file of a unit and in a command [LOGS-024]', () => {
  const written = (domain: string): string => `it's "a" $b \`c\` \\d ${domain}`
  const quoted = [
    String.raw`K="it's \"a\" \$b ${'`c`'} \\d shop.example"`,
    String.raw`K="it's \"a\" \$b \`c\` \\d shop.example"`,
    String.raw`K='it'\''s "a" $b ${'`c`'} \d shop.example'`,
  ]
  for (const line of quoted)
    for (const domain of ['shop.example', '{{instance.domain}}'])
      assert.match(mask({ K: written(domain) }, line)[0] ?? '', /^K=(["'])\[REDACTED\]\1$/, line)
  // Such a value is written with its line breaks as escapes.
  assert.deepEqual(mask({ K: `a 'first' $line\n\\\\` }, String.raw`K="a 'first' \$line\n\\\\"`), [
    String.raw`K="[REDACTED]\n\\\\"`,
  ])
})

test('a placeholder stands for the name that the file has in its place', () => {
  const values = { CALLBACK: 'https://user:pw@{{instance.domain}}/hook' }
  assert.deepEqual(mask(values, 'to https://user:pw@shop.example/hook', 'https://other.example/'), [
    'to [REDACTED]',
    'https://other.example/',
  ])
})

test('a placeholder hides nothing by itself: what the gateway puts in its place is no secret [LOGS-024]', () => {
  const line = '[2026-11-27 10:00:00] production.INFO: from shop.example to https://pay.example/hook'
  for (const value of [
    '{{instance.domain}}',
    '*.{{instance.domain}}',
    'info@{{instance.domain}}',
    'https://{{instance.domain}}',
    'https://{{instance.domain}}/hook',
    '{{instance.environment}}',
    '{{instance.environment}}-{{instance.domain}}',
  ])
    assert.deepEqual(mask({ VALUE: value }, line), [line], value)
})

test('an environment in a value is one of the two that there are, and a value with a domain is found as a URL writes it', () => {
  const values = { NAME: 'password-{{instance.environment}}' }
  assert.deepEqual(mask(values, 'password-production password-development password-x'), [
    '[REDACTED] [REDACTED] password-x',
  ])
  assert.deepEqual(
    mask({ MAIL: 'a secret/{{instance.domain}}' }, `to ${encodeURIComponent('a secret/shop.example')}`),
    ['to [REDACTED]'],
  )
})

test('what a cut has left of a value at the end of a line is masked too', () => {
  const values = { TOKEN: 'abcdefghijklmnop' }
  assert.deepEqual(mask(values, `x abcdefghij${TRUNCATED}`, `x abcdefg${TRUNCATED}`, 'x abcdefghij'), [
    `x [REDACTED]${TRUNCATED}`,
    `x abcdefg${TRUNCATED}`,
    'x abcdefghij',
  ])
})

test('no stored value of any kind comes through, and as many lines come out as went in', () => {
  const value = fc.string({ minLength: 8, maxLength: 30 }).filter((text) => text.trim().length >= 8)
  const line = fc.string({ maxLength: 20 }).map((text) => text.replaceAll('\n', ' '))
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 4 }),
      fc.array(fc.tuple(line, line), { maxLength: 4 }),
      (values, around) => {
        const stored = new Map(values.map((text, index) => [`KEY_${index}`, text]))
        const one = (values[0] ?? '')
          .split(/\r\n|\r|\n/)
          .map((text) => text.trim())
          .find(({ length }) => length >= 8)
        fc.pre(one !== undefined && !one.includes('REDACTED') && !'[REDACTED]'.includes(one))
        const masked = makeMask(stored)(around.map(([before, after]) => `${before}${one}${after}`))
        assert.equal(masked.length, around.length)
        for (const text of masked) assert.ok(!text.includes(one ?? ''), text)
      },
    ),
    { numRuns: 50 },
  )
})
