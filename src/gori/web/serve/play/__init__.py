"""The playground: examples whose lengths, masses and speeds one changes by sliders."""
