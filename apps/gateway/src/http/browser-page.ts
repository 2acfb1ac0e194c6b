import { GITHUB_CONFIRMATION_PATH, type GithubPage, LITERALS } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import { type Answer, failure } from './answer.ts'
import { escaped, html, paragraph } from './html.ts'

/** What a page for the browser of a person is made for. */
export interface BrowserRequest {
  readonly requestId: string
  /** `https://host`, by which the browser knows this gateway. */
  readonly origin: string
  /** Asked by a program, which reads refusals as everywhere else. */
  readonly wantsHtml: boolean
}

/** A page of the registration of the GitHub App, or the way to another one (PRX-013). */
export const browserAnswer = (page: GithubPage, { origin }: BrowserRequest): Answer =>
  page.shows === 'redirect'
    ? { status: 303, body: undefined, page: { headers: { ...headers(), location: page.location }, html: '' } }
    : { status: 200, body: undefined, page: manifestPage(page, origin) }

/** A refusal as a person in a browser reads it. */
export function browserFailure(error: CodedError, { requestId, wantsHtml }: BrowserRequest): Answer {
  const answer = failure(requestId, error)
  if (!wantsHtml) return answer
  const { code, message } = (answer.body as { error: { code: string; message: string } }).error // As failure made it.
  const fragments = [paragraph(message), paragraph(`${code} · ${requestId}`)]
  return { ...answer, page: { headers: headers(), html: html({ title: 'This did not work', fragments }) } }
}

/** One button that posts the manifest: the person sees who asks for what before it leaves. */
function manifestPage(
  { action, manifest, owner }: Extract<GithubPage, { shows: 'manifest' }>,
  origin: string,
): NonNullable<Answer['page']> {
  const whole = {
    ...manifest,
    url: origin,
    redirect_url: `${origin}${LITERALS.apiPrefix}${GITHUB_CONFIRMATION_PATH}`,
  }
  const host = new URL(action).host
  const permissions = Object.entries(manifest.default_permissions).map(([name, level]) => `${name}: ${level}`)
  return {
    headers: headers(new URL(action).origin),
    html: html({
      title: `Register the GitHub App ${manifest.name}`,
      fragments: [
        paragraph(
          `It will belong to ${owner === null ? 'your account' : owner} at ${host} and ask for these permissions: ${permissions.join(', ')}. It gets no webhooks. You can change its name there.`,
        ),
        `<form action="${escaped(action)}" method="post">
<input type="hidden" name="manifest" value="${escaped(JSON.stringify(whole))}">
<button>Go on at ${escaped(host)}</button>
</form>`,
      ],
    }),
  }
}

/** The address of the page is a credential: it is neither kept nor told to the next page. */
const headers = (action = "'none'"): Readonly<Record<string, string>> => ({
  'referrer-policy': 'no-referrer',
  'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action ${action}; base-uri 'none'; frame-ancestors 'none'`,
})
