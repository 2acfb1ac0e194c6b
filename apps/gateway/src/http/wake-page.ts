import type { WakePage } from '@fleet/contract'
import type { Answer } from './answer.ts'
import { html, paragraph } from './html.ts'

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
            fragments: [
              paragraph(
                'It slept because nobody used it. This page loads again by itself until it is ready.',
              ),
            ],
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
            title: `${page.instance} could not be woken`,
            fragments: [
              paragraph(`${page.message} (${page.code})`),
              paragraph(
                `Load this page again to try once more. fleet instance:show ${page.instance} says what is wrong.`,
              ),
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
