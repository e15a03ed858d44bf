// Builds one HTML file: scripts and styles are put into the page itself, so that it opens from disk without a network.
import { defineConfig } from 'vite';

const one_file = {
  name: 'one-file',
  enforce: 'post',
  generateBundle(_, bundle) {
    const page = Object.values(bundle).find((part) => part.fileName.endsWith('.html'));
    let html = page.source;
    for (const [name, part] of Object.entries(bundle)) {
      if (part.type === 'chunk') {
        const code = part.code.replace(/<\/script/g, '<\\/script').replace(/<!--/g, '<\\!--');
        html = html.replace(/<script[^>]*src="[^"]*"[^>]*><\/script>/, '');
        html = html.replace('</body>', () => `<script type="module">${code}</script>\n</body>`);
        delete bundle[name];
      } else if (name.endsWith('.css')) {
        html = html.replace(/<link[^>]*rel="stylesheet"[^>]*>/, () => `<style>${part.source}</style>`);
        delete bundle[name];
      }
    }
    page.source = html;
    page.fileName = 'page.html';
  },
};

export default defineConfig({
  base: './',
  plugins: [one_file],
  build: {
    target: 'es2020',
    outDir: 'dist',
    emptyOutDir: false,
    assetsInlineLimit: 1 << 30,
    cssCodeSplit: false,
    modulePreload: false,
    chunkSizeWarningLimit: 4000,
    rollupOptions: { output: { inlineDynamicImports: true } },
  },
});
