/** An application whose one package comes from the repository itself, so that its installation needs nobody else. */
export const composerApp = (domain: string): Readonly<Record<string, string>> => ({
  artisan: '',
  'composer.json': JSON.stringify({
    require: { 'laravel/framework': '1.0.0' },
    // Composer takes a random one otherwise, which is in three files.
    config: { 'autoloader-suffix': 'shop' },
    repositories: [
      { type: 'path', url: 'packages/framework', options: { symlink: false } },
      { 'packagist.org': false },
    ],
  }),
  'packages/framework/composer.json': '{"name":"laravel/framework","version":"1.0.0"}',
  'packages/framework/greeting.php': "<?php return 'welcome';",
  '.env.example': `APP_NAME=shop\nAPP_URL=https://${domain}\n`,
  '.gitignore': '/vendor\n',
  'public/index.php': "<?php echo require __DIR__ . '/../vendor/laravel/framework/greeting.php';",
})

/** Prints every name below `vendor` with its mode, and the digest of every file. */
export const VENDOR =
  "find vendor -type f -exec sha256sum {} + | sort -k 2 && find vendor -printf '%y %m %p\\n' | sort"
