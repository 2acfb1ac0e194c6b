/** Folder → the @fleet packages it may import. A folder without a row may not exist. */
export const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'packages/kernel': [],
  'packages/contract': ['kernel'],
  'packages/database-access': ['kernel'],
  'packages/dns': [],
  'packages/lockfiles': [],
  'packages/node-program': [],
  'packages/pki': ['kernel'],
  'packages/shell': ['kernel'],
  'packages/ssh': ['kernel', 'shell'],
  'packages/steps': ['kernel'],
  'packages/store': ['kernel'],
  'packages/pusher': ['kernel'],
  'packages/pusher-client': ['kernel'],
  'packages/surfaces': ['kernel', 'contract'],
  'packages/sdk': ['kernel', 'contract'],
  'packages/fleet': [
    'kernel',
    'contract',
    'database-access',
    'dns',
    'lockfiles',
    'pki',
    'pusher',
    'shell',
    'ssh',
    'steps',
    'store',
  ],
  'packages/testing': [
    'kernel',
    'contract',
    'database-access',
    'pki',
    'shell',
    'ssh',
    'steps',
    'store',
    'pusher',
    'sdk',
    'fleet',
  ],
  'apps/gateway': [
    'kernel',
    'contract',
    'database-access',
    'pki',
    'shell',
    'ssh',
    'steps',
    'store',
    'pusher',
    'pusher-client',
    'surfaces',
    'fleet',
  ],
  'apps/cli': ['kernel', 'contract', 'pki', 'pusher-client', 'surfaces', 'sdk'],
  'apps/executable': ['cli', 'database-access', 'node-dns', 'agent', 'websocket'],
  'apps/websocket': ['kernel', 'node-program', 'pusher'],
  'apps/node-dns': ['kernel', 'dns'],
  'apps/agent': ['kernel', 'node-program', 'contract', 'shell', 'pusher', 'pusher-client'],
  'apps/sessions': ['kernel', 'contract'],
  'apps/console': ['kernel', 'contract', 'sdk'],
  'apps/embedded': [
    'kernel',
    'contract',
    'pki',
    'pusher',
    'ssh',
    'store',
    'sdk',
    'gateway',
    'websocket',
    'agent',
  ],
}

/** Folder → the @fleet packages whose types alone it may use, by `import type`: they are gone when the code runs. */
export const ALLOWED_TYPES: Readonly<Record<string, readonly string[]>> = {
  'packages/store': ['contract', 'steps'],
}

/** Folders outside the workspaces: they prove and run the whole, so they may import any package. */
export const FREE = ['tests', 'tools', 'bench', 'lab'] as const

/** Domains of packages/fleet, lowest first. A domain imports earlier ones only, and only their api.ts. */
export const DOMAINS = [
  'locks',
  'nodes',
  'activities',
  'work',
  'managed-services',
  'clusters',
  'network',
  'firewall',
  'certificates',
  'dns',
  'web-server',
  'tools',
  'realtime',
  'php',
  'source-access',
  'agents',
  'metrics',
  'source-host',
  'github',
  'projects',
  'instances',
  'processes',
  'schedules',
  'environment',
  'logs',
  'dependencies',
  'databases',
  'routes',
  'roles',
  'routers',
  'project-updates',
  'node-lifecycle',
  'deployments',
  'hibernation',
  'analytics',
  'annotations',
  'task-vms',
  'tasks',
  'rollout',
  'conn',
  'doctor',
] as const

/**
 * Folders of packages/fleet/src that are no domains. They stand above all domains and may import any `api.ts`, and the
 * folders before them here; a domain imports none of them. The files at the root of src are types that every domain shares.
 */
export const ABOVE_DOMAINS = ['access', 'gateway', 'compose'] as const

/** A module and the only files that may import it. */
export interface Restriction {
  readonly module: RegExp
  readonly only: RegExp
  readonly why: string
}

export const RESTRICTED: readonly Restriction[] = [
  {
    module: /^(node:)?child_process$|^ssh2$/,
    only: /^packages\/(ssh|testing)\/|^packages\/database-access\/src\/sqlite\/|^apps\/(agent|sessions|embedded)\/|^apps\/cli\/src\/(gateway\/system-store|instances\/browser)\.ts$|^(tests|tools|bench|lab)\/|\.test\.ts$/,
    why: 'gateway code starts processes through packages/ssh',
  },
  {
    module: /^kysely($|\/)/,
    only: /^packages\/store\/|\/queries(\.test)?\.ts$|\/queries\/[^/]+\.ts$|^(tests|bench)\//,
    why: 'SQL lives in queries.ts',
  },
  {
    module: /^(ws|fastify)($|\/)|^node:(http2?|https|net|tls)$/,
    // The last one speaks TLS over a stream that it is given.
    only: /^apps\/|^packages\/(ssh|pusher-client|testing)\/|^(tests|tools|bench|lab)\/|\.test\.ts$|^packages\/database-access\/src\/wire\/secure\.ts$/,
    why: 'sockets belong to apps',
  },
  {
    module: /^node:timers(\/promises)?$/,
    only: /^packages\/kernel\/|^(tests|tools|bench|lab)\/|\.test\.ts$/,
    why: 'time passes through the Clock of packages/kernel',
  },
  {
    module: /^node:/,
    only: /^packages\/(database-access|pki|node-program|shell|ssh|steps|store|pusher|pusher-client|fleet|testing)\/|^apps\/(?!console\/)|^(tests|tools|bench|lab)\/|\.test\.ts$/,
    why: 'this package also runs in a browser',
  },
  {
    module: /^@fleet\/testing/,
    only: /\.test\.ts$|^packages\/testing\/|^(tests|tools|bench)\//,
    why: 'fakes stay out of production',
  },
]
