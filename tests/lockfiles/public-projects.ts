import type { Project } from './projects.ts'

const uses = (
  name: string,
  dependencies: Readonly<Record<string, string>>,
  others: Readonly<Record<string, unknown>> = {},
): Project => ({ name, manifest: { dependencies, ...others } })

/** Projects of published packages, whose locks are made and asked about when `node tests/lockfiles/public.ts` has a registry. */
export const PUBLIC_PROJECTS: readonly Project[] = [
  uses('a server', { express: '4.21.2' }),
  uses(
    'a server and its tools',
    { fastify: '^5', '@fastify/static': '^8' },
    { devDependencies: { mocha: '^10' } },
  ),
  uses(
    'a site',
    { react: '^18', 'react-dom': '^18', 'react-router-dom': '^6' },
    { devDependencies: { vite: '^5', '@vitejs/plugin-react': '^4' } },
  ),
  uses('a framework', { next: '14.2.0', react: '18.2.0', 'react-dom': '18.2.0' }),
  uses(
    'another framework',
    { vue: '^3', 'vue-router': '^4', pinia: '^2' },
    { devDependencies: { '@vitejs/plugin-vue': '^5', vite: '^5' } },
  ),
  uses('a compiler with packages of platforms', { esbuild: '0.21.5', rollup: '^4', '@swc/core': '^1.7.0' }),
  uses('a library for images', { sharp: '^0.33.0' }),
  uses(
    'tests',
    {},
    { devDependencies: { jest: '29.7.0', 'ts-jest': '^29', typescript: '^5', '@types/jest': '^29' } },
  ),
  uses(
    'linters',
    {},
    {
      devDependencies: {
        eslint: '^8',
        '@typescript-eslint/parser': '^7',
        '@typescript-eslint/eslint-plugin': '^7',
        typescript: '^5',
        prettier: '^3',
      },
    },
  ),
  uses(
    'linters with peers in contexts',
    { eslint: '^9' },
    {
      devDependencies: {
        'eslint-plugin-react': '^7',
        'eslint-plugin-import': '^2',
        'eslint-config-prettier': '^9',
      },
    },
  ),
  uses(
    'a bundler',
    {},
    {
      devDependencies: {
        webpack: '^5',
        'webpack-cli': '^5',
        'webpack-dev-server': '^5',
        'css-loader': '^7',
        'style-loader': '^4',
      },
    },
  ),
  uses(
    'styles',
    {},
    { devDependencies: { tailwindcss: '^3', postcss: '^8', autoprefixer: '^10', sass: '^1.77.0' } },
  ),
  uses('aliases', {
    'lodash-old': 'npm:lodash@3',
    lodash: '^4',
    react17: 'npm:react@17',
    react: '18',
    'types-of-node': 'npm:@types/node@^20',
  }),
  uses('a package that locks aliases itself', { '@isaacs/cliui': '^8', 'string-width': '^7' }),
  uses('deprecated packages', { request: '^2', har: 'npm:har-validator@5', glob: '7.2.3', rimraf: '^3' }),
  uses('prereleases', { 'react-canary': 'npm:react@19.0.0-rc.0', '@babel/core': '8.0.0-alpha.12' }),
  uses('tags', { typescript: 'latest', semver: 'latest' }),
  uses('bundled packages', { npm: '10.8.2' }),
  uses('cycles', { 'es-abstract': '^1.23.0', browserslist: '^4', 'update-browserslist-db': '*' }),
  uses(
    'optional dependencies',
    { chokidar: '^3', ws: '^8' },
    { optionalDependencies: { fsevents: '^2', bufferutil: '^4', 'utf-8-validate': '^6' } },
  ),
  uses('peers that may be missing', { ws: '^8', typeorm: '^0.3.20', 'styled-jsx': '^5' }),
  uses(
    'peers of the root',
    { 'use-sync-external-store': '^1' },
    { peerDependencies: { react: '>=17' }, devDependencies: { react: '^18' } },
  ),
  {
    ...uses('overrides of npm and Bun', { express: '^4' }, { overrides: { qs: '6.13.0', debug: '2.6.9' } }),
    not: ['pnpm'],
  },
  {
    ...uses('overrides of pnpm', { express: '^4' }),
    files: { 'pnpm-workspace.yaml': 'overrides:\n  qs: 6.13.0\n' },
    not: ['npm', 'bun'],
  },
  uses('everything of a cloud', { '@aws-sdk/client-s3': '^3.600.0', '@google-cloud/storage': '^7' }),
  uses('databases', { pg: '^8', mysql2: '^3', knex: '^3', mongodb: '^6', ioredis: '^5' }),
  uses('old names', { JSONStream: '1.3.5', Base64: '1.1.0' }),
  uses(
    'a tool of many plug-ins',
    {},
    {
      devDependencies: {
        '@babel/core': '^7',
        '@babel/preset-env': '^7',
        '@babel/preset-react': '^7',
        'babel-loader': '^9',
        webpack: '^5',
      },
    },
  ),
  uses(
    'a framework of decorators',
    { '@nestjs/core': '^10', '@nestjs/common': '^10', rxjs: '^7', 'reflect-metadata': '^0.2' },
    { devDependencies: { '@nestjs/cli': '^10' } },
  ),
  uses('a large application', { 'react-scripts': '5.0.1', react: '^18', 'react-dom': '^18' }),
]
