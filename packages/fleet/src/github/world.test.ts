import { type Clock, CodedError } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { FakeClock, fakeCall, openTestStore, testDomains } from '@fleet/testing'
import { type FakeGitHub, startFakeGitHub } from '@fleet/testing/fake-github'
import type { GitHubDomain, GitHubServer } from '#/github/api.ts'

export interface World extends AsyncDisposable {
  readonly store: Store
  readonly host: FakeGitHub
  readonly clock: FakeClock
  readonly domain: GitHubDomain
  /** Number of the app at GitHub. */
  readonly app: number
}

/** A gateway beside a GitHub on loopback, with an app unless it is to register one. */
export async function startWorld({ hasApp = true }: { readonly hasApp?: boolean } = {}): Promise<World> {
  const clock = new FakeClock()
  const host = await startFakeGitHub([], clock)
  const store = await openTestStore()
  const app = hasApp ? await host.addApp(store) : 0
  return {
    store,
    host,
    clock,
    app,
    domain: domainOver(store, host.server, clock),
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]()
      await host[Symbol.asyncDispose]()
    },
  }
}

export const domainOver = (store: Store, github: GitHubServer, clock: Clock): GitHubDomain =>
  testDomains({ store, github, clock }).github

/** The state in the page that a registration begins with. */
export const stateOf = (page: string): string => /\?state=([0-9a-f]{64})$/.exec(page)?.[1] ?? ''

/** Begins a registration and answers its state. */
export async function begun(
  { domain }: World,
  input: { name?: string; owner?: string } = {},
): Promise<string> {
  const { data } = await domain.handlers['github:app:install']({ call: fakeCall(), input })
  return stateOf(data.page)
}

/** The person agrees at GitHub. Answers the code with which the browser comes back. */
export async function agreed({ domain, host }: World, state: string): Promise<string> {
  const { data } = await domain.handlers['github:app:register']({ call: fakeCall(), input: { state } })
  if (data.shows !== 'manifest') throw new Error('no manifest')
  const manifest = JSON.stringify({ ...data.manifest, redirect_url: 'https://gateway.fleet/back' })
  const body = new URLSearchParams({ manifest }).toString()
  const { headers } = await host.server.fetch(data.action, { method: 'POST', body })
  const back = new URL(headers.get('location') ?? '')
  if (back.searchParams.get('state') !== state) throw new Error('GitHub sends the state back')
  return back.searchParams.get('code') ?? ''
}

export const confirm = ({ domain }: World, state: string, code: string) =>
  domain.handlers['github:app:confirm']({ call: fakeCall(), input: { state, code } })

export const codeOf = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'succeeded',
    (error: unknown) => (error instanceof CodedError ? error.code : String(error)),
  )
