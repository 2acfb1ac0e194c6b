const ALLOWED = /\{\{instance\.(domain|environment)\}\}/g
const SHOWABLE = /^\{\{\s?[A-Za-z][\w.-]{0,63}\s?\}\}$/

export const DOMAIN_PLACEHOLDER = '{{instance.domain}}'
export const ENVIRONMENT_PLACEHOLDER = '{{instance.environment}}'

/** The values of placeholders. The domain is absent without a healthy Route. */
export interface PlaceholderValues {
  readonly domain?: string | undefined
  readonly environment: string
}

/** True when the value can only be resolved with a Route (ENV-022). */
export const needsDomain = (value: string): boolean => value.includes(DOMAIN_PLACEHOLDER)

/** The value with its placeholders replaced (ENV-040, ENV-041). What a replacement brings in is not searched again. */
export const resolvePlaceholders = (value: string, { domain, environment }: PlaceholderValues): string =>
  value.replace(ALLOWED, (placeholder, name: string) =>
    name === 'domain' ? (domain ?? placeholder) : environment,
  )

/**
 * The first `{{…}}` that is no allowed placeholder, as it may be shown: its text only when that reads like a
 * placeholder's name, else bare braces, because the text between them may be secret (ENV-005, ENV-075).
 */
export const unknownPlaceholder = (value: string): string | undefined =>
  firstToken(value.replace(ALLOWED, ''))

/** What keeps a resolved value from being written: any `{{` or `}}` that is left (ENV-042). */
export function unresolvedPart(value: string): string | undefined {
  const token = firstToken(value)
  if (token !== undefined) return token
  if (value.includes('{{')) return '{{'
  return value.includes('}}') ? '}}' : undefined
}

function firstToken(text: string): string | undefined {
  const start = text.indexOf('{{')
  const end = text.indexOf('}}', start + 2)
  if (start === -1 || end === -1) return undefined
  const token = text.slice(start, end + 2)
  return SHOWABLE.test(token) ? token : '{{…}}'
}
