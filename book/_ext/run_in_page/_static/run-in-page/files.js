window.runInPage = { files: null };
