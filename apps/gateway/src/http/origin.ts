import type { IncomingHttpHeaders } from 'node:http'

/**
 * True for a request that a page of another origin made through a browser of the fleet.
 * The caller is known by its address alone, so such a page would act with the Node's grants.
 */
export function isCrossSite(headers: IncomingHttpHeaders, host: string | undefined): boolean {
  const site = headers['sec-fetch-site']
  if (site === 'cross-site' || site === 'same-site') return true
  const origin = headers.origin
  if (origin === undefined) return false
  const url = URL.parse(origin)
  // A page of the same name over plain HTTP may come from a man in the middle.
  return url?.protocol !== 'https:' || url.host !== host
}
