// Bundles each library with its page into one script that a test serves.
// Usage: node build.mjs FOLDER
import { build } from 'esbuild';

const [, , folder] = process.argv;
if (folder === undefined) throw new Error('name the folder of the bundles');

await build({
  entryPoints: ['mui', 'antd', 'radix', 'select2'].map((name) => `src/${name}.jsx`),
  outdir: folder,
  bundle: true,
  minify: true,
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
  loader: { '.css': 'text' },
  logLevel: 'warning',
});
