class Wpatch < Formula
  desc "Applies a patch to a tree of files as a whole, or not at all"
  homepage "https://github.com/wpatch/wpatch"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "https://github.com/wpatch/wpatch/releases/download/v@VERSION@/wpatch-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256 wpatch-@VERSION@-aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "https://github.com/wpatch/wpatch/releases/download/v@VERSION@/wpatch-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256 wpatch-@VERSION@-x86_64-apple-darwin.tar.gz@"
    end
  end
  on_linux do
    on_arm do
      url "https://github.com/wpatch/wpatch/releases/download/v@VERSION@/wpatch-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 wpatch-@VERSION@-aarch64-unknown-linux-musl.tar.gz@"
    end
    on_intel do
      url "https://github.com/wpatch/wpatch/releases/download/v@VERSION@/wpatch-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 wpatch-@VERSION@-x86_64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install "wpatch"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/wpatch.bash" => "wpatch"
    fish_completion.install "completions/wpatch.fish"
    zsh_completion.install "completions/_wpatch"
  end

  test do
    (testpath/"a.txt").write "one\n"
    system bin/"wpatch", "edit", "a.txt", "--old", "one", "--new", "two"
    assert_equal "two\n", (testpath/"a.txt").read
  end
end
