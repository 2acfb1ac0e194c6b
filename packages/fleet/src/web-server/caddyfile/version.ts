/** `major.minor` of Caddy decides what is rendered; a patch never does. */
export interface CaddyVersion {
  readonly major: number
  readonly minor: number
}

/** From the first line of `caddy version`, such as `2.6.2` or `v2.9.1 h1:…`; undefined for anything else. */
export function caddyVersionOf(text: string): CaddyVersion | undefined {
  const [, major, minor] = /^v?(\d{1,4})\.(\d{1,4})\.\d/.exec(text.trim()) ?? []
  return major === undefined || minor === undefined
    ? undefined
    : { major: Number(major), minor: Number(minor) }
}

const hasAtLeast = ({ major, minor }: CaddyVersion, wanted: CaddyVersion): boolean =>
  major > wanted.major || (major === wanted.major && minor >= wanted.minor)

/** The floor of what is supported; older ones work as far as they accept the file (decision 35 of the design). */
export const SUPPORTED: CaddyVersion = { major: 2, minor: 9 }

/** What a version can do that an older one cannot. */
export const featuresOf = (version: CaddyVersion) => ({
  isSupported: hasAtLeast(version, SUPPORTED),
  /** Connections of WebSockets and event streams outlive a reload. */
  keepsStreams: hasAtLeast(version, { major: 2, minor: 7 }),
  namesTrustPools: hasAtLeast(version, { major: 2, minor: 8 }),
  /** `log_skip` for what was `skip_log`. */
  renamesLogSkip: hasAtLeast(version, { major: 2, minor: 8 }),
  countsHosts: hasAtLeast(version, { major: 2, minor: 9 }),
  forcesAutomation: hasAtLeast(version, { major: 2, minor: 9 }),
  /** `request_buffers` for what was `buffer_requests`. */
  namesBuffers: hasAtLeast(version, { major: 2, minor: 7 }),
  /** PHP hears how long a body is that was read before it was sent on; a longer one is answered with 411. */
  measuresBodies: hasAtLeast(version, { major: 2, minor: 9 }),
})
export type CaddyFeatures = ReturnType<typeof featuresOf>
