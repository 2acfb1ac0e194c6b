import type { WakePage } from '@fleet/contract'
import type { Answer } from './answer.ts'

const RELOAD_SECONDS = 1
/** The page needs nothing from anywhere. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'"

/**
 * What the web server of a Node lets through, or shows its visitor instead of the site: 204 for one that is awake, a page that
 * loads itself again while it wakes, and one that says why it cannot (HIB-013 to HIB-015).
 */
export function wakeAnswer(page: WakePage): Answer {
  switch (page.state) {
    case 'awake':
      return { status: 204, body: undefined }
    case 'pending':
      return {
        status: 401,
        body: undefined,
        page: {
          headers: headersOf(page.state, { 'retry-after': String(RELOAD_SECONDS) }),
          html: html({
            head: `<meta http-equiv="refresh" content="${RELOAD_SECONDS}">`,
            title: `Waking ${page.instance}`,
            lines: ['It slept because nobody used it. This page loads again by itself until it is ready.'],
          }),
        },
      }
    case 'failed':
      return {
        status: 503,
        body: undefined,
        page: {
          headers: headersOf(page.state, {}),
          html: html({
            head: '',
            title: `${page.instance} could not be woken`,
            lines: [
              `${page.message} (${page.code})`,
              'Load this page again to try once more. fleet doctor says what is wrong.',
            ],
          }),
        },
      }
  }
}

const headersOf = (
  state: WakePage['state'],
  further: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => ({
  'x-fleet-runtime-activation-state': state,
  'content-security-policy': POLICY,
  ...further,
})

interface Text {
  readonly head: string
  readonly title: string
  readonly lines: readonly string[]
}

const html = ({ head, title, lines }: Text): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
${head}<title>${escaped(title)}</title>
<style>body{margin:20vh auto 0;max-width:34rem;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif;color-scheme:light dark}h1{font-size:1.25rem}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
${lines.map((line) => `<p>${escaped(line)}</p>`).join('\n')}
</body>
</html>
`

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
