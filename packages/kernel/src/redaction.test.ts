import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskText, redact } from './redaction.ts'

test('texts under a secret name become [REDACTED], whatever writes the name [ACT-013]', () => {
  const secret = {
    api_token: 'a',
    'x-key': 'b',
    dbPassword: 'c',
    passwd: 'd',
    'app.secret': 'e',
    passphrase: 'f',
    credential: 'g',
    bearer: 'h',
    pem: 'i',
  }
  assert.deepEqual(
    redact(secret),
    Object.fromEntries(Object.keys(secret).map((name) => [name, '[REDACTED]'])),
  )
})

test('public keys and fingerprints stay readable, and so do numbers, booleans and null [ACT-014]', () => {
  const open = {
    public_key: 'ssh-ed25519 AAAA',
    wireguard_public_key: 'abc=',
    host_key_fingerprint: 'SHA256:x',
    key: 3,
    token: true,
    secret: null,
  }
  assert.deepEqual(redact(open), open)
})

test('a name that only holds a secret word inside is no secret name [ACT-013]', () => {
  const open = { keyboard: 'qwerty', tokens_used: 'many', monkey_count: 'x', name: 'turkey' }
  assert.deepEqual(redact(open), open)
})

test('an environment map keeps its names only [ACT-014]', () => {
  assert.deepEqual(redact({ environment: { APP_ENV: 'production', APP_KEY: 'base64:x' } }), {
    environment: ['APP_ENV', 'APP_KEY'],
  })
})

test('secrets inside longer texts are masked [ACT-014, GW-025]', () => {
  assert.equal(
    maskText('GET https://user:hun@ter2@example.test/x'),
    'GET https://user:[REDACTED]@example.test/x',
  )
  assert.equal(maskText('Authorization: Bearer abcdef.123456'), 'Authorization: Bearer [REDACTED]')
  assert.equal(maskText('password=hunter2, user=joe'), 'password=[REDACTED], user=joe')
  assert.equal(maskText('DB_PASSWORD="a b" rest'), 'DB_PASSWORD=[REDACTED] rest')
  assert.equal(maskText('{"password":"a b","user":"joe"}'), '{"password":[REDACTED],"user":"joe"}')
  assert.match(
    maskText('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY----- after'),
    /^\[REDACTED\] after$/,
  )
})

test('a quoted secret ends at its own quote, not at one that is escaped in it [ACT-014, GW-025]', () => {
  const secret = 'a "b\\" c'
  const json = JSON.stringify({ password: secret, user: 'joe' })
  assert.equal(maskText(json), '{"password":[REDACTED],"user":"joe"}')
  assert.equal(maskText(`password = 'it\\'s a b', x`), 'password = [REDACTED], x')
  assert.equal(maskText(`PASSWORD='it'\\''s a b' x`), 'PASSWORD=[REDACTED] x')
  // A backslash before the end of a value escapes nothing for everybody.
  for (const quote of ['"', "'"])
    assert.equal(
      maskText(`api_key=${quote}C:\\${quote} password=${quote}hunter2${quote} x`),
      'api_key=[REDACTED] password=[REDACTED] x',
    )
  assert.equal(
    maskText(String.raw`"{\"password\":\"a b\",\"user\":\"joe\"}"`),
    String.raw`"{\"password\":[REDACTED],\"user\":\"joe\"}"`,
  )
})

test('a long text takes no longer than its length', () => {
  for (const part of ['a.', 'key ', 'x://', 'a:b@', '"key"', "key='", 'key="\\a'])
    maskText(part.repeat(500_000))
  // Each time takes some of the stack.
  maskText(`key="${String.raw`\a`.repeat(4_000_000)}`)
})

test('ordinary sentences pass unchanged [GW-025]', () => {
  for (const text of [
    'The Node is not active.',
    'Key APP_KEY is required',
    'the key must be text',
    'node-1: 3 of 5 steps',
    'This endpoint requires the secret of the Node agent as a bearer token.',
    'A basic configuration is enough.',
    'No SSH host key is pinned yet: the request must contain its approved fingerprint.',
    `The host presented the key: SHA256:${'aB3+'.repeat(10)}aB3.`,
    `fingerprint of its key=SHA256:${'aB3/'.repeat(10)}aB3`,
    'public key: ssh-ed25519 AAAAC3Nz',
    'open /etc/fleet/certificates/route-1/leaf.pem: no such file or directory',
    'PublicKey = abc=',
    'bash: line 2: STRIPE_KEY: unbound variable',
    'sh: 1: API_TOKEN: parameter not set\nmore\r\nsh: 1: DB_PASSWORD: parameter not set or null\r\n',
    'bash: line 1: APP_SECRET: parameter null or not set',
    'Run `fleet project:deploy-key:show PROJECT`, or fleet project:deploy-key:create PROJECT.',
  ])
    assert.equal(maskText(text), text)
})

test('what only looks like a sentence is masked still [GW-025]', () => {
  for (const [text, masked] of [
    ['Authorization: Basic abcdefgh', 'Authorization: Basic [REDACTED]'],
    ['authorization=bearer secretword', 'authorization=bearer [REDACTED]'],
    ['sent Bearer abc123def', 'sent Bearer [REDACTED]'],
    ['basic dXNlcjpwYXNz', 'basic [REDACTED]'],
    ['token: word', 'token: [REDACTED]'],
    ['key: A1b2C3', 'key: [REDACTED]'],
    ['key=word', 'key=[REDACTED]'],
    ['pem: word', 'pem: [REDACTED]'],
    ['tls.pem: MIIB', 'tls.pem: [REDACTED]'],
    ['api_key: word', 'api_key: [REDACTED]'],
    ['key: SHA256:short', 'key: [REDACTED]'],
    ['unpublic_secret: x', 'unpublic_secret: [REDACTED]'],
    ['private key: x1', 'private key: [REDACTED]'],
    ['STRIPE_KEY: unbound variables', 'STRIPE_KEY: [REDACTED] variables'],
    ['STRIPE_KEY: unbound variable x', 'STRIPE_KEY: [REDACTED] variable x'],
    ['STRIPE_KEY=unbound variable', 'STRIPE_KEY=[REDACTED] variable'],
    ['deploy-key:show', 'deploy-key:[REDACTED]'],
    ['x:deploy-key:showing', 'x:deploy-key:[REDACTED]'],
  ] as const)
    assert.equal(maskText(text), masked)
})

test('lists and nested members are covered [ACT-013]', () => {
  assert.deepEqual(redact({ steps: [{ token: 'x' }, 'password: y'] }), {
    steps: [{ token: '[REDACTED]' }, 'password: [REDACTED]'],
  })
})
