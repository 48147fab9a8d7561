{
  description = "Applies a patch to a tree of files as a whole, or not at all";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { nixpkgs, ... }:
    let
      version = "@VERSION@";
      archives = {
        x86_64-linux = {
          target = "x86_64-unknown-linux-musl";
          sha256 = "@SHA256 wpatch-@VERSION@-x86_64-unknown-linux-musl.tar.gz@";
        };
        aarch64-linux = {
          target = "aarch64-unknown-linux-musl";
          sha256 = "@SHA256 wpatch-@VERSION@-aarch64-unknown-linux-musl.tar.gz@";
        };
        x86_64-darwin = {
          target = "x86_64-apple-darwin";
          sha256 = "@SHA256 wpatch-@VERSION@-x86_64-apple-darwin.tar.gz@";
        };
        aarch64-darwin = {
          target = "aarch64-apple-darwin";
          sha256 = "@SHA256 wpatch-@VERSION@-aarch64-apple-darwin.tar.gz@";
        };
      };
      package = system: { target, sha256 }:
        let pkgs = nixpkgs.legacyPackages.${system};
        in pkgs.stdenvNoCC.mkDerivation {
          pname = "wpatch";
          inherit version;
          src = pkgs.fetchurl {
            url = "https://github.com/wpatch/wpatch/releases/download/v${version}/wpatch-${version}-${target}.tar.gz";
            inherit sha256;
          };
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # The program is stripped, and signed for macOS.
          dontStrip = true;
          installPhase = ''
            install -D -m 755 -t $out/bin wpatch
            installManPage man/*.1
            installShellCompletion --bash completions/wpatch.bash --fish completions/wpatch.fish --zsh completions/_wpatch
          '';
          meta = {
            description = "Applies a patch to a tree of files as a whole, or not at all";
            homepage = "https://github.com/wpatch/wpatch";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "wpatch";
            sourceProvenance = [ pkgs.lib.sourceTypes.binaryNativeCode ];
          };
        };
    in {
      packages = builtins.mapAttrs (system: archive: { default = package system archive; }) archives;
    };
}
